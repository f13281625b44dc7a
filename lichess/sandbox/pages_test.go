package sandbox_test

import (
	"io"
	"net/http"
	"testing"

	"castellan/lichess/sandbox"
)

// TestPagesStandBesideTheAPI: what is no endpoint is asked of Options.Pages, but for the paths of the API.
func TestPagesStandBesideTheAPI(t *testing.T) {
	pages := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "page "+r.URL.Path) })
	server := sandbox.New(sandbox.Options{Pages: pages})
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	defer http.DefaultClient.CloseIdleConnections()
	for path, want := range map[string]string{
		"/":                    "page /",
		"/abcdefgh":            "page /abcdefgh",
		"/api/nothing":         `{"error":"Not found"}`,
		"/game/export/nothing": `{"error":"Not found"}`,
	} {
		response, err := http.Get(server.URL + path)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(response.Body)
		response.Body.Close()
		if err != nil || string(body) != want {
			t.Errorf("GET %s: %q (%v), want %q", path, body, err, want)
		}
	}
}
