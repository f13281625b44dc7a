package web

import (
	"fmt"
	"net/http"
	"strings"
)

// NewHealth answers GET /healthz, which says that the process answers at all, and GET /readyz: 200, or 503 with a line for each
// reason that notReady gives.
func NewHealth(notReady func() []string) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { say(w, http.StatusOK, "ok") })
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, _ *http.Request) {
		if reasons := notReady(); len(reasons) > 0 {
			say(w, http.StatusServiceUnavailable, strings.Join(reasons, "\n"))
			return
		}
		say(w, http.StatusOK, "ready")
	})
	return mux
}

// GetOnly lets GET and HEAD through and refuses the rest.
func GetOnly(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			w.Header().Set("Allow", "GET, HEAD")
			say(w, http.StatusMethodNotAllowed, "there is nothing to be done here")
			return
		}
		h.ServeHTTP(w, r)
	})
}

func say(w http.ResponseWriter, code int, text string) {
	h := w.Header()
	h.Set("Content-Type", "text/plain; charset=utf-8")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(code)
	fmt.Fprintln(w, text)
}
