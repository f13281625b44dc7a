package config

import (
	"errors"
	"net"
	"strconv"
	"strings"
	"unicode"
)

// Addr is an address to listen on, HOST:PORT. Without a host it is one of this machine alone.
type Addr string

// Decode takes HOST:PORT, :PORT and PORT; port 0 is a free one.
func (a *Addr) Decode(value string) error {
	value = strings.TrimSpace(value)
	host, port, err := net.SplitHostPort(value)
	if err != nil && strings.Trim(value, "0123456789") == "" {
		host, port, err = "", value, nil
	}
	if err != nil || strings.ContainsFunc(host, unicode.IsSpace) || strings.ContainsAny(host, "/@") {
		return errors.New("is not HOST:PORT")
	}
	if n, err := strconv.ParseUint(port, 10, 16); err != nil || strconv.FormatUint(n, 10) != port {
		return errors.New("has no port from 0 to 65535")
	}
	if host == "" {
		host = "127.0.0.1"
	}
	*a = Addr(net.JoinHostPort(host, port))
	return nil
}

// String is the address.
func (a Addr) String() string { return string(a) }
