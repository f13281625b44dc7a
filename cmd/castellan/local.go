package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"os/signal"
	"strings"
	"sync"
	"syscall"

	"golang.org/x/sync/errgroup"

	"castellan/bot/web"
	"castellan/config"
	"castellan/engine/search"
	"castellan/lichess"
	"castellan/lichess/sandbox"
)

type localCommand struct {
	Listen string    `help:"Address to listen on (127.0.0.1:8080; with --games a free port). Without a host it is this machine's alone." placeholder:"[HOST:]PORT"`
	Games  gameCount `help:"Let two bots play so many games against each other, print them as PGN, and end: 1 to 1000000." placeholder:"N"`
	Clock  clockFlag `default:"3+2" placeholder:"CLOCK" help:"Clock of the games: 3+2 is minutes and seconds a move, 5+0.05 or 5s+0 is seconds (${default})."`
}

// Help is shown by castellan local --help.
func (localCommand) Help() string {
	return `It prints one address; open it in a browser and play. Nothing is needed for that but this program: no account, no token, no internet. The
server speaks Lichess's API, so that other bots can be tried on it too; the lines of curl for that are printed.

Examples:

  castellan local
  castellan local --listen 0.0.0.0:8080             play from a phone in the same network
  castellan local --games 4 --clock 5+0.05          two bots, four games of five seconds, as PGN
  CASTELLAN_ENGINE=/usr/games/stockfish castellan local

The bots play by the settings of the environment (castellan config). Those of no use here, such as CASTELLAN_STATE_DIR, are named in a warning.`
}

// Names and tokens of the sandbox's accounts. They are no secrets: the server is this process.
const (
	botName, botToken       = "Castellan", "lip_castellan"
	rivalName, rivalToken   = "Rival", "lip_rival"
	personName, personToken = "You", "lip_you"
)

// Run plays in a sandbox, for ever or for some games.
func (c localCommand) Run(ctx context.Context, std streams) error {
	if c.Games == 0 {
		// People challenge by the server's own rules, which know no fractions.
		if err := lichess.CheckClock(int(c.Clock.base.Seconds()), int(c.Clock.increment.Seconds())); err != nil {
			return usagef("--clock %s, for challenges: %w", c.Clock, err)
		}
	}
	cfg, err := config.Load()
	onlyOnline(&cfg)
	if err != nil {
		return allFaults(&cfg, err)
	}
	usualTable(&cfg)
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGTERM, os.Interrupt)
	defer stop()
	log := newLog(&cfg, std.err)
	if unused := c.unused(); len(unused) > 0 {
		log.Warn("settings that are of no use here", "settings", strings.Join(unused, " "))
	}

	listen, err := c.address()
	if err != nil {
		return err
	}
	options := sandbox.Options{Addr: listen, Guard: c.guard(listen), BotGamesPerDay: -1, ChallengePointsPerDay: -1, ChallengePointsPerMinute: -1}
	if c.Games > 0 {
		server, err := startServer(options, botAccount, rivalAccount)
		if err != nil {
			return err
		}
		defer server.Close()
		return c.playGames(ctx, &cfg, server, log, std)
	}
	// A person may look at the board before the first move, and may want no clock: nobody waits for the place.
	cfg.AbortAfter, cfg.AcceptHumans.Unlimited, cfg.AcceptBots.Unlimited = 0, true, true
	h := newHouse(ctx, &cfg, log)
	options.Pages = web.NewPlay(h.page(c.Clock))
	if h.server, err = startServer(options, rivalAccount, sandbox.Account{Name: personName, Token: personToken}); err != nil {
		return err
	}
	defer h.server.Close()
	return c.stayUp(h, std)
}

// onlyOnline takes out the settings that are for a bot of an account alone: to keep what is to last, and to be looked at.
func onlyOnline(cfg *config.Config) {
	cfg.State.Dir, cfg.PGN.Dir, cfg.StatusAddr, cfg.MetricsAddr, cfg.Arenas = "", "", "", "", nil
}

// unused lists the settings of the environment that change nothing here, but for the token and the address of the server, which everybody
// has who plays online.
func (c localCommand) unused() (set []string) {
	names := []string{
		"CASTELLAN_STATE_DIR", "CASTELLAN_PGN_DIR", "CASTELLAN_PGN_FILES", "CASTELLAN_STATUS_ADDR", "CASTELLAN_STATUS_HOSTS", "CASTELLAN_METRICS_ADDR",
		"CASTELLAN_ARENAS", "CASTELLAN_ARENA_PASSWORD", "CASTELLAN_ARENA_TEAM", "CASTELLAN_MEMORY_MB", "CASTELLAN_SHUTDOWN", "CASTELLAN_SHUTDOWN_LIMIT",
	}
	if c.Games == 0 {
		names = append(names, "CASTELLAN_ABORT_AFTER", "CASTELLAN_ACCEPT_UNLIMITED", "CASTELLAN_ACCEPT_HUMANS_UNLIMITED", "CASTELLAN_ACCEPT_BOTS_UNLIMITED")
	}
	for _, name := range names {
		if os.Getenv(name) != "" {
			set = append(set, name)
		}
	}
	return set
}

// address is where the server is to listen.
func (c localCommand) address() (string, error) {
	switch {
	case c.Listen == "" && c.Games == 0:
		return "127.0.0.1:8080", nil
	case c.Listen == "":
		return "127.0.0.1:0", nil
	}
	var listen config.Addr
	if err := listen.Decode(c.Listen); err != nil {
		return "", usagef("--listen %s: %w: give a port, or HOST:PORT such as 0.0.0.0:8080", c.Listen, err)
	}
	if _, err := net.ResolveTCPAddr("tcp", string(listen)); err != nil {
		return "", usagef("--listen %s: %w", c.Listen, err)
	}
	return string(listen), nil
}

// guard keeps away who asks by a name that is none of this server's: the tokens are no secrets, and a page from elsewhere whose name
// points here could play with them.
func (c localCommand) guard(listen string) func(http.Handler) http.Handler {
	return func(server http.Handler) http.Handler {
		return web.KnownHosts(server, []string{listenName(listen)}, "start it with --listen and that name")
	}
}

var (
	botAccount   = sandbox.Account{Name: botName, Token: botToken, Title: lichess.TitleBot}
	rivalAccount = sandbox.Account{Name: rivalName, Token: rivalToken, Title: lichess.TitleBot}
)

// startServer starts a server with these accounts.
func startServer(options sandbox.Options, accounts ...sandbox.Account) (*sandbox.Server, error) {
	server := sandbox.New(options)
	for _, account := range accounts {
		if err := server.AddAccount(account); err != nil {
			return nil, err
		}
	}
	if err := server.Start(); err != nil {
		return nil, fmt.Errorf("%w: choose another address with --listen", err)
	}
	return server, nil
}

// reachable is the address under which this very machine reaches a server that listens on all of its addresses; any other address
// stays as it is.
func reachable(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return address
	}
	if ip, err := netip.ParseAddr(u.Hostname()); err == nil && ip.IsUnspecified() {
		u.Host = net.JoinHostPort("127.0.0.1", u.Port())
	}
	return u.String()
}

// fromElsewhere are the addresses under which other machines reach a server that listens on all of this one's; none for any other.
// Each network of this machine has one, those of containers too, so that more than one is a matter of trying.
func fromElsewhere(address string) (all []string) {
	u, err := url.Parse(address)
	if err != nil {
		return nil
	}
	if ip, err := netip.ParseAddr(u.Hostname()); err != nil || !ip.IsUnspecified() {
		return nil
	}
	networks, err := net.InterfaceAddrs()
	if err != nil {
		return nil
	}
	for _, n := range networks {
		if prefix, err := netip.ParsePrefix(n.String()); err == nil && prefix.Addr().Is4() && prefix.Addr().IsGlobalUnicast() {
			all = append(all, "http://"+net.JoinHostPort(prefix.Addr().String(), u.Port()))
		}
	}
	return all
}

// stayUp keeps the bot of the settings online, and others as they are asked for, until a signal comes.
func (c localCommand) stayUp(h *house, std streams) error {
	if _, _, err := h.opponent(botName, levelOf(int(h.cfg.Elo))); err != nil {
		return err
	}
	fmt.Fprintf(std.out, "Play in the browser:  %s\n", reachable(h.server.URL))
	if others := fromElsewhere(h.server.URL); len(others) > 0 {
		fmt.Fprintf(std.out, "From a phone:         %s\n", strings.Join(others, "  or  "))
	}
	fmt.Fprintf(std.out, `
The same by hand, as a Lichess client does it. Challenge the bot:

  curl -H 'Authorization: Bearer %[2]s' -d 'clock.limit=%.0[4]f&clock.increment=%.0[5]f&color=white' %[1]s/api/challenge/%[3]s

The answer holds the game's id. Put it in the place of ID, watch the game, and move when the bot has moved:

  curl -N -H 'Authorization: Bearer %[2]s' %[1]s/api/board/game/stream/ID
  curl -X POST -H 'Authorization: Bearer %[2]s' %[1]s/api/board/game/ID/move/e2e4
  curl -X POST -H 'Authorization: Bearer %[2]s' %[1]s/api/board/game/ID/resign

If no game begins, the log below says why the bot declined. Any other Lichess bot can play here too, with the token %[6]s;
its games with the bots here can be watched at %[1]s/ID.
Ctrl-C ends it all.

`, reachable(h.server.URL), personToken, botName, c.Clock.base.Seconds(), c.Clock.increment.Seconds(), rivalToken)
	return h.bots.Wait()
}

// playGames lets two bots play against each other, as many games at a time as there are processors, and prints each game when
// it has ended.
func (c localCommand) playGames(ctx context.Context, cfg *config.Config, server *sandbox.Server, log *slog.Logger, std streams) error {
	interrupted := ctx
	if cfg.Threads == 0 {
		cfg.Threads = 1 // there is a game for each processor already
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	bots, ctx := errgroup.WithContext(ctx)
	var players []*player
	for name, token := range map[string]string{botName: botToken, rivalName: rivalToken} {
		player, err := newPlayer(cfg, reachable(server.URL), token, log.With("bot", name), nil)
		if err != nil {
			return err
		}
		defer player.close()
		players = append(players, player)
		bots.Go(func() error { return player.Run(ctx) })
	}
	err := c.play(ctx, server, std)
	if interrupted.Err() != nil {
		err = errors.New("interrupted before all games were played")
	}
	if err != nil {
		cancel()
	}
	for _, player := range players {
		player.Drain() // the bots see the end of the last game too
	}
	return errors.Join(bots.Wait(), err)
}

func (c localCommand) play(ctx context.Context, server *sandbox.Server, std streams) error {
	var printing sync.Mutex
	games, ctx := errgroup.WithContext(ctx)
	games.SetLimit(search.Processors())
	for i := range c.Games {
		games.Go(func() error {
			setup := sandbox.GameSetup{White: botName, Black: rivalName, Limit: c.Clock.base, Increment: c.Clock.increment}
			if i%2 == 1 {
				setup.White, setup.Black = setup.Black, setup.White
			}
			id, err := server.StartGame(setup)
			if err != nil {
				return err
			}
			game, err := server.WaitGame(ctx, id)
			if err != nil {
				return err
			}
			printing.Lock()
			defer printing.Unlock()
			_, err = fmt.Fprintf(std.out, "%s\n\n", strings.TrimSpace(game.PGN))
			return err
		})
	}
	return games.Wait()
}
