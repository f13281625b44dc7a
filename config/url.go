package config

import (
	"errors"
	"net"
	"net/url"
	"strings"
	"unicode"
)

// URL is the base of a server's addresses, without a slash at its end.
type URL string

// Decode takes https, and http when the host is this machine. What a base cannot have is refused: a user, a query, a
// fragment.
func (u *URL) Decode(value string) error {
	value = strings.TrimSpace(value)
	parsed, err := url.Parse(value)
	if err != nil || parsed.Host == "" || parsed.Hostname() == "" {
		return errors.New("is not a URL with a scheme and a host")
	}
	switch {
	case parsed.User != nil:
		return errors.New("holds a user name")
	case parsed.RawQuery != "" || parsed.ForceQuery || strings.Contains(value, "#"):
		return errors.New("holds a query or a fragment")
	case strings.ContainsFunc(value, unicode.IsSpace) || strings.Contains(value, "@"):
		return errors.New("holds white space or an @")
	case parsed.Scheme == "https":
	case parsed.Scheme != "http":
		return errors.New("is neither https nor http")
	case !isLoopback(parsed.Hostname()):
		return errors.New("is not https, so anybody on the way could read the token")
	}
	*u = URL(strings.TrimRight(value, "/"))
	return nil
}

// String is the URL.
func (u URL) String() string { return string(u) }

// isLoopback reports whether host is this very machine, without asking a name server.
func isLoopback(host string) bool {
	if strings.EqualFold(host, "localhost") {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}
