package bot_test

import (
	"context"
	"net"
	"sync"
)

// pipes is a network in memory, for bubbles of synthetic time: nothing outside takes part.
type pipes struct {
	pipe   func() (near, far net.Conn)
	conns  chan net.Conn
	closed chan struct{}
	once   sync.Once
}

func newPipes(pipe func() (near, far net.Conn)) *pipes {
	return &pipes{pipe: pipe, conns: make(chan net.Conn), closed: make(chan struct{})}
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error   { p.once.Do(func() { close(p.closed) }); return nil }
func (p *pipes) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 80} }

func (p *pipes) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	near, far := p.pipe()
	select {
	case p.conns <- far:
		return near, nil
	case <-p.closed:
		return nil, net.ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}
