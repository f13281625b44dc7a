package main

import (
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

// clientOptions are those of a client that says nothing.
func clientOptions(cfg *config.Config) lichess.Options {
	return lichess.Options{URL: string(cfg.URL), Token: lichess.Token(cfg.Token.Reveal()), Version: buildVersion()}
}
