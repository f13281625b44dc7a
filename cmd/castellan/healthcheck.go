package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"time"

	"castellan/config"
)

type healthcheckCommand struct {
	JSON    bool          `name:"json" help:"Print JSON."`
	Ready   bool          `help:"Ask whether the bot is online too, not just whether the process answers."`
	Timeout time.Duration `default:"3s" placeholder:"DURATION" help:"Longest wait for the answer (${default})."`
}

// Help is shown by castellan healthcheck --help.
func (healthcheckCommand) Help() string {
	return `Examples:

  CASTELLAN_METRICS_ADDR=127.0.0.1:9464 castellan healthcheck
  CASTELLAN_METRICS_ADDR=127.0.0.1:9464 castellan healthcheck --ready --json

It asks the daemon that runs with the same environment, at CASTELLAN_METRICS_ADDR or CASTELLAN_STATUS_ADDR. A container's health check is its
use. The exit code is 0 when all is well, 1 when not, 2 when a flag or a setting is wrong, so that nobody can be asked. Without --ready a server that is away does not make the bot unhealthy:
to start it anew would not bring the server back.`
}

// maxHealthAnswer bounds the answer that is read.
const maxHealthAnswer = 4 << 10

// Run asks and prints the answer.
func (c healthcheckCommand) Run(ctx context.Context, std streams) error {
	answer, fault := c.ask(ctx)
	switch {
	case c.JSON:
		told := struct {
			Well   bool   `json:"well"`
			Answer string `json:"answer,omitempty"`
			Fault  string `json:"fault,omitempty"`
		}{Well: fault == nil, Answer: answer}
		if fault != nil {
			told.Fault = fault.Error()
		}
		return errors.Join(fault, printJSON(std.out, told))
	case fault != nil:
		return fault
	}
	_, err := fmt.Fprintln(std.out, answer)
	return err
}

// ask returns what the daemon says of itself when all is well.
func (c healthcheckCommand) ask(ctx context.Context) (string, error) {
	cfg, err := config.Load()
	if err != nil {
		return "", usagef("the daemon does not start with these settings: %s", err.Error())
	}
	addr := cfg.MetricsAddr
	if addr == "" {
		addr = cfg.StatusAddr
	}
	if addr == "" {
		return "", usagef("neither CASTELLAN_METRICS_ADDR nor CASTELLAN_STATUS_ADDR is set, so there is nothing to ask: set the one that the daemon has")
	}
	path := "/healthz"
	if c.Ready {
		path = "/readyz"
	}
	ctx, cancel := context.WithTimeout(ctx, c.Timeout)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+fromHere(string(addr))+path, nil)
	if err != nil {
		return "", err
	}
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}} // a proxy of the environment is not for this
	reply, err := client.Do(r)
	if err != nil {
		return "", err
	}
	defer reply.Body.Close()
	body, err := io.ReadAll(io.LimitReader(reply.Body, maxHealthAnswer))
	if err != nil {
		return "", err
	}
	text := strings.TrimSpace(string(body))
	if reply.StatusCode != http.StatusOK {
		return "", fmt.Errorf("%s: %s", reply.Status, text)
	}
	return text, nil
}

// fromHere is where this machine reaches what listens on an address: on all addresses means on the loopback one too.
func fromHere(addr string) string {
	host, port, err := net.SplitHostPort(addr)
	if ip, ipErr := netip.ParseAddr(host); err == nil && ipErr == nil && ip.IsUnspecified() {
		if ip.Is4() {
			return net.JoinHostPort("127.0.0.1", port)
		}
		return net.JoinHostPort("::1", port)
	}
	return addr
}
