package main

import (
	"context"
	"fmt"
	"log/slog"
	"strconv"
	"sync"

	"golang.org/x/sync/errgroup"

	"castellan/bot/web"
	"castellan/config"
	"castellan/engine"
	"castellan/lichess"
	"castellan/lichess/sandbox"
)

// weakHashMB is the table of a bot below full strength, which looks at few positions.
const weakHashMB = 8

// fullStrength is the key of the level without a bound.
const fullStrength = "full"

// house is the server of castellan local and the bots that were asked for. An engine has one strength, so each level is a bot
// of its own, with an account of its own; it comes online when somebody wants to play it, and stays.
type house struct {
	cfg    *config.Config
	server *sandbox.Server
	log    *slog.Logger
	ctx    context.Context // of the bots
	bots   *errgroup.Group

	mu     sync.Mutex
	online map[string]string // tokens by account name
}

func newHouse(ctx context.Context, cfg *config.Config, log *slog.Logger) *house {
	h := &house{cfg: cfg, log: log, online: map[string]string{}}
	h.bots, h.ctx = errgroup.WithContext(ctx)
	return h
}

// levels are the strengths to choose from: each 200 from the weakest on, that of the settings, and full strength.
func (h *house) levels() (all []web.Level) {
	set := int(h.cfg.Elo)
	add := func(elo int) {
		all = append(all, web.Level{Key: strconv.Itoa(elo), Name: strconv.Itoa(elo)})
	}
	for elo := engine.MinElo; elo <= engine.MaxElo; elo += 200 {
		if set > elo-200 && set < elo {
			add(set)
		}
		add(elo)
	}
	return append(all, web.Level{Key: fullStrength, Name: "Full strength"})
}

// levelOf is the key of a rating.
func levelOf(elo int) string {
	if elo == 0 {
		return fullStrength
	}
	return strconv.Itoa(elo)
}

// A name is the first part of an account's name. A game between bots of one level needs two accounts.
const secondName = "Steward"

// opponent brings the bot of a level online and returns its account's name: the plain name for the level of the settings,
// another for each other level.
func (h *house) opponent(name, level string) (account string, token string, err error) {
	elo := 0
	if level != fullStrength {
		if elo, err = strconv.Atoi(level); err != nil {
			return "", "", fmt.Errorf("level %q: must be a number or %q", level, fullStrength)
		}
	}
	account = name
	if level != levelOf(int(h.cfg.Elo)) {
		account += "-" + level
	}
	token = "lip_" + lichess.UserID(name) + "_" + level
	if account == botName {
		token = botToken
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if _, here := h.online[account]; here {
		return account, token, nil
	}
	if err := h.ctx.Err(); err != nil {
		return "", "", fmt.Errorf("%s cannot come: the program is ending", account)
	}
	cfg := *h.cfg
	if cfg.Elo != config.Int(elo) {
		cfg.Engine, cfg.EngineOptions = "", nil // another engine may know no levels
	}
	cfg.Elo = config.Int(elo)
	if elo != 0 {
		cfg.Threads, cfg.HashMB = 1, min(cfg.HashMB, weakHashMB)
	}
	rating := elo
	if elo == 0 {
		rating = engine.MaxElo
	}
	player, err := newPlayer(&cfg, reachable(h.server.URL), token, h.log.With("bot", account), nil)
	if err != nil {
		return "", "", err
	}
	err = h.server.AddAccount(sandbox.Account{
		Name: account, Token: token, Title: lichess.TitleBot, Rating: rating, Takebacks: sandbox.TakebacksAlways,
	})
	if err != nil {
		player.close()
		return "", "", err
	}
	h.bots.Go(func() error {
		defer player.close()
		return player.Run(h.ctx)
	})
	h.online[account] = token
	return account, token, nil
}

// exhibit starts a game between two bots.
func (h *house) exhibit(_ context.Context, game web.Exhibition) (web.Watched, error) {
	setup := sandbox.GameSetup{Limit: game.Limit, Increment: game.Increment, FEN: game.FEN}
	if game.Chess960 {
		setup.Variant = lichess.VariantChess960
	}
	var token string
	var err error
	if setup.White, token, err = h.opponent(botName, game.White); err != nil {
		return web.Watched{}, err
	}
	if setup.Black, _, err = h.opponent(secondName, game.Black); err != nil {
		return web.Watched{}, err
	}
	id, err := h.server.StartGame(setup)
	if err != nil {
		return web.Watched{}, err
	}
	return web.Watched{ID: id, Token: token}, nil
}

// watch lets a game be read through the eyes of one of the bots here, whoever began it and whoever the other one is.
func (h *house) watch(id string) (web.Watched, bool) {
	game, ok := h.server.Game(id)
	if !ok {
		return web.Watched{}, false
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, name := range []string{game.White, game.Black} {
		if token, here := h.online[name]; here {
			return web.Watched{ID: id, Token: token}, true
		}
	}
	return web.Watched{}, false
}

// page is the page on which a person plays in this house.
func (h *house) page(clock clockFlag) web.PlayOptions {
	level := levelOf(int(h.cfg.Elo))
	if level == fullStrength {
		level = "1400" // somebody who has just come wants a game, not a lesson
	}
	return web.PlayOptions{
		Name: personName, Token: personToken, Levels: h.levels(), Level: level,
		Limit: clock.base, Increment: clock.increment,
		Opponent: func(_ context.Context, level string) (string, error) {
			name, _, err := h.opponent(botName, level)
			return name, err
		},
		Exhibit: h.exhibit, Watch: h.watch,
	}
}
