package main

import (
	"errors"
	"fmt"

	"castellan/config"
	"castellan/lichess"
)

// goOnline returns the settings and a client for the account of their token.
func goOnline() (*config.Config, *lichess.Client, error) {
	cfg, err := config.LoadOnline()
	if err != nil {
		return nil, nil, err
	}
	client, err := lichess.New(clientOptions(&cfg))
	if err != nil {
		return nil, nil, usageError{err}
	}
	return &cfg, client, nil
}

// withAdvice says what to do about a call that got no answer, or not now; other errors stay as they are.
func withAdvice(err error) error {
	var limit *lichess.LimitError
	var refused *lichess.APIError
	var network *lichess.NetworkError
	switch {
	case errors.As(err, &limit):
		return fmt.Errorf("%w: %s", err, adviceWait)
	case errors.As(err, &refused) && refused.Status >= 500:
		return fmt.Errorf("%w: %s", err, adviceTrouble)
	case errors.As(err, &network):
		return fmt.Errorf("no answer from the server; castellan doctor tells where the way to it ends, and what to do: %w", err)
	}
	return err
}

// What to do about a server that does not do what is asked for now.
const (
	adviceWait    = "wait until then: the server limits this account or this address"
	adviceTrouble = "wait: the server has trouble of its own, and the daemon waits too"
)

// clientOptions are those of a client that says nothing.
func clientOptions(cfg *config.Config) lichess.Options {
	return lichess.Options{URL: string(cfg.URL), Token: lichess.Token(cfg.Token.Reveal()), Version: buildVersion()}
}
