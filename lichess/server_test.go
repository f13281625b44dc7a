package lichess

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"
)

const testToken = "lip_SecretOfTheTests"

// prefix is the path below which all test servers answer: an address that
// forgets the path of the base URL is found out.
const prefix = "/behind/a/proxy"

// newTestClient returns a client of a server on a real socket.
func newTestClient(t *testing.T, o Options, handler http.HandlerFunc) *Client {
	t.Helper()
	server := httptest.NewUnstartedServer(http.StripPrefix(prefix, handler))
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.Start()
	o.URL, o.Token = server.URL+prefix, testToken
	c, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		c.Close()
		server.CloseClientConnections()
		server.Close()
	})
	return c
}

// pipeServer is a real HTTP server on connections in memory, for tests in a
// bubble of synthetic time.
type pipeServer struct {
	conns  chan net.Conn
	closed chan struct{}
	mu     sync.Mutex
	refuse error // what dialing ends with; nil to connect
	dials  int
	warm   http.HandlerFunc // answers the calls that keep connections warm
	server *http.Server
}

// newPipeClient returns a client of a server in memory. Call stop before the
// bubble ends.
func newPipeClient(t *testing.T, o Options, handler http.HandlerFunc) (c *Client, s *pipeServer, stop func()) {
	t.Helper()
	o.URL = "http://127.0.0.1" + prefix
	return startPipe(t, o, handler, func(*http.Transport) {}, func(s *pipeServer) { s.server.Serve(s) })
}

// newPipeTLSClient is newPipeClient with TLS and HTTP/2.
func newPipeTLSClient(t *testing.T, o Options, handler http.HandlerFunc) (c *Client, s *pipeServer, stop func()) {
	t.Helper()
	model := httptest.NewUnstartedServer(nil) // has a certificate
	model.EnableHTTP2 = true
	model.StartTLS()
	defer model.Close()
	trust := model.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs
	o.URL = "https://127.0.0.1" + prefix
	return startPipe(t, o, handler, func(transport *http.Transport) {
		transport.TLSClientConfig.RootCAs = trust
	}, func(s *pipeServer) {
		s.server.TLSConfig = &tls.Config{Certificates: model.TLS.Certificates}
		s.server.ServeTLS(s, "", "")
	})
}

func startPipe(t *testing.T, o Options, handler http.HandlerFunc, adjust func(*http.Transport), serve func(*pipeServer)) (c *Client, s *pipeServer, stop func()) {
	t.Helper()
	s = &pipeServer{conns: make(chan net.Conn), closed: make(chan struct{})}
	s.warm = func(w http.ResponseWriter, _ *http.Request) { answer(w, 200, "[]") }
	s.server = &http.Server{Handler: http.StripPrefix(prefix, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == epUsersStatus.path {
			s.mu.Lock()
			warm := s.warm
			s.mu.Unlock()
			warm(w, r)
			return
		}
		handler(w, r)
	})), ErrorLog: log.New(io.Discard, "", 0), IdleTimeout: time.Minute}
	done := make(chan struct{})
	go func() { defer close(done); serve(s) }()
	o.Token, o.Dial = testToken, s.dial
	c, err := newClient(o, adjust)
	if err != nil {
		t.Fatal(err)
	}
	return c, s, func() { c.Close(); s.server.Close(); <-done }
}

func (s *pipeServer) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	s.mu.Lock()
	s.dials++
	refuse := s.refuse
	s.mu.Unlock()
	if refuse != nil {
		return nil, &net.OpError{Op: "dial", Net: "tcp", Err: refuse}
	}
	client, server := net.Pipe()
	select {
	case s.conns <- server:
		return client, nil
	case <-s.closed:
		return nil, errors.New("the server is closed")
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// setRefuse says what dialing ends with from now on.
func (s *pipeServer) setRefuse(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refuse = err
}

// setWarm says how the calls that keep connections warm are answered from now on.
func (s *pipeServer) setWarm(h http.HandlerFunc) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.warm = h
}

func (s *pipeServer) Accept() (net.Conn, error) {
	select {
	case conn := <-s.conns:
		return conn, nil
	case <-s.closed:
		return nil, net.ErrClosed
	}
}

func (s *pipeServer) Close() error {
	select {
	case <-s.closed:
	default:
		close(s.closed)
	}
	return nil
}

func (s *pipeServer) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 80} }

// drop ends the connection of a request without an answer.
func drop(w http.ResponseWriter) {
	conn, _, err := w.(http.Hijacker).Hijack()
	if err == nil {
		conn.Close()
	}
}

// answer writes a reply of one piece.
func answer(w http.ResponseWriter, status int, body string) {
	w.WriteHeader(status)
	io.WriteString(w, body)
}

// line writes a line of a stream and sends it on its way.
func line(w http.ResponseWriter, text string) {
	w.Header().Set("Content-Type", ndjsonType)
	io.WriteString(w, text+"\n")
	w.(http.Flusher).Flush()
}

// pause waits, but not longer than the client does.
func pause(r *http.Request, d time.Duration) {
	select {
	case <-time.After(d):
	case <-r.Context().Done():
	}
}
