package web

import (
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// AnyHost among the names of [KnownHosts] lets all requests through.
const AnyHost = "*"

// KnownHosts lets requests through that were made by an IP address, to localhost or to one of the names (in small letters), whatever
// the port. Others get 403: a page from elsewhere could otherwise reach what is behind by a name that its owner has pointed here,
// and would be taken for one of this server's own. hint is what the person can do who has asked by another name.
func KnownHosts(h http.Handler, names []string, hint string) http.Handler {
	names = slices.DeleteFunc(slices.Clone(names), func(name string) bool { return name == "" })
	if slices.Contains(names, AnyHost) {
		return h
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if name := hostName(r.Host); !numeric(name) && name != "localhost" && !slices.Contains(names, name) {
			say(w, http.StatusForbidden, fmt.Sprintf("%q is no name that is known here: use the IP address or localhost, or %s", r.Host, hint))
			return
		}
		h.ServeHTTP(w, r)
	})
}

// hostName is the host of HOST or HOST:PORT in small letters, without brackets and without the dot at the end that a name may have.
func hostName(host string) string {
	name := host
	if h, _, err := net.SplitHostPort(host); err == nil {
		name = h
	}
	if n := len(name); n > 1 && name[0] == '[' && name[n-1] == ']' {
		name = name[1 : n-1]
	}
	return strings.TrimSuffix(strings.ToLower(name), ".")
}

// numeric tells whether a host is an IP address, which nobody can make point elsewhere.
func numeric(name string) bool {
	_, err := netip.ParseAddr(name)
	return err == nil
}
