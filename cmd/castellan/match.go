package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"os/signal"
	"runtime/debug"
	"strconv"
	"strings"
	"syscall"
	"time"

	"castellan/engine/match"
	"castellan/engine/uciclient"
)

type matchCommand struct {
	A       string   `default:"self" complete:"file" placeholder:"COMMAND" help:"First engine: a UCI program and its arguments, in quotes, or self for this binary (${default})."`
	B       string   `required:"" complete:"file" placeholder:"COMMAND" help:"Second engine."`
	NameA   string   `placeholder:"NAME" help:"Name of the first engine in the output (what it calls itself)."`
	NameB   string   `placeholder:"NAME" help:"Name of the second engine."`
	Option  []string `sep:"none" placeholder:"NAME=VALUE" help:"UCI option for both engines, such as Hash=16. May be repeated."`
	OptionA []string `sep:"none" placeholder:"NAME=VALUE" help:"UCI option for the first engine."`
	OptionB []string `sep:"none" placeholder:"NAME=VALUE" help:"UCI option for the second engine."`

	TC       match.Clock    `name:"tc" placeholder:"CLOCK" help:"Clock in seconds: 2+0.02 is base and increment, 40/60 is 60 seconds for every 40 moves. This, --movetime, --nodes or --depth has to be given."`
	MoveTime *time.Duration `name:"movetime" placeholder:"DURATION" help:"Time for every move, such as 100ms, instead of a clock."`
	Nodes    *uint64        `placeholder:"N" help:"Nodes for every move; with or without a clock."`
	Depth    *int           `placeholder:"N" help:"Depth for every move in plies; with or without a clock."`
	Margin   time.Duration  `default:"50ms" placeholder:"DURATION" help:"Excess of a move's time that is forgiven (${default})."`

	Games       int  `default:"200" placeholder:"N" help:"Games to play, or at most to play with --sprt (${default})."`
	Concurrency int  `default:"1" placeholder:"N" help:"Games at a time (${default}). Clocks need a core for each."`
	Unpaired    bool `help:"Play every opening once, not twice with changed colours."`

	Openings string `complete:"file" placeholder:"FILE" help:"Openings: a .pgn file, or one with an EPD or FEN a line. By default random moves that lead to balanced positions."`
	Plies    int    `default:"8" placeholder:"N" help:"Plies of an opening from a PGN file or of random moves (${default})."`
	Chess960 bool   `name:"chess960" help:"Begin random openings from start positions of Chess960."`
	Seed     uint64 `default:"1" placeholder:"N" help:"Seed of the openings' order and of random ones (${default}). The same seed gives the same openings."`

	SPRT  sprtElo `name:"sprt" placeholder:"ELO0,ELO1" help:"End as soon as a sequential test has decided between these two differences, in logistic Elo."`
	Alpha float64 `default:"0.05" placeholder:"P" help:"Probability of accepting ELO1 when ELO0 is true (${default})."`
	Beta  float64 `default:"0.05" placeholder:"P" help:"Probability of accepting ELO0 when ELO1 is true (${default})."`

	PlayOut  bool   `help:"Play all games to their end, although both engines' scores agree on a draw or a win."`
	MaxMoves int    `placeholder:"N" help:"Call a game drawn after so many moves (no limit)."`
	JSON     bool   `name:"json" help:"Print the summary as JSON."`
	PGN      string `name:"pgn" complete:"file" placeholder:"FILE" help:"Append the games to this file."`
}

// sprtElo are the two differences of --sprt.
type sprtElo struct {
	elo0, elo1 float64
	given      bool
}

// UnmarshalText reads two numbers with a comma between them.
func (e *sprtElo) UnmarshalText(text []byte) error {
	first, second, _ := strings.Cut(string(text), ",")
	elo0, err0 := strconv.ParseFloat(first, 64)
	elo1, err1 := strconv.ParseFloat(second, 64)
	if err0 != nil || err1 != nil {
		return fmt.Errorf("%q: it takes two numbers with a comma between them, such as 0,10", text)
	}
	*e = sprtElo{elo0, elo1, true}
	return nil
}

// Help is shown by castellan match --help.
func (matchCommand) Help() string {
	return `One of --tc, --movetime, --nodes and --depth has to be given: how long the engines may think.

Is this build stronger than the last one?

  castellan match --b './castellan-old uci' --tc 2+0.02 --option Hash=16 --sprt 0,10 --games 20000

How strong is it beside another engine?

  castellan match --b /usr/games/stockfish --option-b UCI_LimitStrength=true --option-b UCI_Elo=2100 --tc 2+0.02 --pgn games.pgn

The standing goes to standard error while the match runs, the summary to standard output. Ctrl-C ends the match and prints what there is.
The exit code is 0 when the match came to its end; 1 when it did not, be it by Ctrl-C or by an engine that ends as soon as it is started;
2 when something on the command line is wrong, such as the name of an engine that is not found.`
}

// Run plays the match.
func (c matchCommand) Run(ctx context.Context, std streams) error {
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGTERM, os.Interrupt)
	defer stop()
	context.AfterFunc(ctx, stop) // a second Ctrl-C ends the program at once

	options, err := c.options()
	if err != nil {
		return usageError{err}
	}
	openings, close, err := c.openings()
	if err != nil {
		return usageError{err}
	}
	defer close()
	options.Openings = openings
	if c.PGN != "" {
		file, err := os.OpenFile(c.PGN, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o666)
		if err != nil {
			return usageError{err}
		}
		defer file.Close()
		options.PGN = file
	}
	progress := newProgressLine(std.err)
	var warned [2]bool
	options.Progress = func(r *match.Report) {
		for i := range warned {
			if text := r.Warning(i); text != "" && !warned[i] {
				warned[i] = true
				fmt.Fprintln(progress, "warning:", text)
			}
		}
		progress.show(int64(r.Finished), int64(r.Planned), r.Line())
	}
	debug.SetGCPercent(800) // the garbage of a game is collected after it, not while a clock runs
	report, err := match.Run(ctx, options)
	progress.clear()
	begun := report != nil && report.Names[0] != ""
	if begun && (report.Games.N() > 0 || ctx.Err() != nil) {
		if c.JSON {
			err = errors.Join(err, printJSON(std.out, matchForPrograms(report)))
		} else {
			fmt.Fprint(std.out, report)
		}
	}
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return errors.New("match: interrupted")
	case isUsage(err):
		return usageError{err}
	}
	return err
}

// faultsJSON is what went wrong with a player.
type faultsJSON struct {
	Crashes      int `json:"crashes"`
	TimeLosses   int `json:"time_losses"`
	IllegalMoves int `json:"illegal_moves"`
}

// matchJSON is what a match has shown, for programs, from the first player's side.
type matchJSON struct {
	Players  [2]string     `json:"players"`
	Planned  int           `json:"planned"`
	Games    int           `json:"games"` // of finished pairs
	Wins     int           `json:"wins"`
	Draws    int           `json:"draws"`
	Losses   int           `json:"losses"`
	Elo      *float64      `json:"elo"` // null when it has no bound
	EloLow   *float64      `json:"elo_low"`
	EloHigh  *float64      `json:"elo_high"`
	LOS      float64       `json:"los"`             // probability that the first is the stronger, 0 to 1
	Pairs    []int         `json:"pairs,omitempty"` // by points from 0 to 2 in halves
	LLR      *float64      `json:"llr,omitempty"`
	Decision string        `json:"decision,omitempty"` // H0, H1 or none
	Faults   [2]faultsJSON `json:"faults"`
	Seconds  float64       `json:"seconds"`
}

func matchForPrograms(r *match.Report) matchJSON {
	elo := r.Results().Elo()
	m := matchJSON{
		Players: r.Names, Planned: r.Planned, Games: r.Games.N(), Wins: r.Games[2], Draws: r.Games[1], Losses: r.Games[0],
		Elo: finite(elo.Value), EloLow: finite(elo.Low), EloHigh: finite(elo.High), LOS: r.Results().LOS(),
		Pairs: r.Pairs, Faults: [2]faultsJSON{faultsJSON(r.Faults[0]), faultsJSON(r.Faults[1])}, Seconds: r.Elapsed.Seconds(),
	}
	if r.SPRT != nil {
		m.LLR = finite(r.LLR)
		m.Decision = map[match.Decision]string{match.AcceptH0: "H0", match.AcceptH1: "H1", match.Undecided: "none"}[r.Decision]
	}
	return m
}

// isUsage tells whether a match could not be played because of what was asked for.
func isUsage(err error) bool {
	var options *match.OptionsError
	var option *uciclient.OptionError
	return errors.As(err, &options) || errors.As(err, &option) || errors.Is(err, exec.ErrNotFound) || errors.Is(err, fs.ErrNotExist)
}

// options puts the flags into the match's own terms.
func (c matchCommand) options() (match.Options, error) {
	o := match.Options{
		Control: match.Control{Clock: c.TC},
		Margin:  c.Margin, Games: c.Games, Unpaired: c.Unpaired, Concurrency: c.Concurrency, MaxMoves: c.MaxMoves,
	}
	if c.Concurrency < 1 {
		return o, fmt.Errorf("--concurrency %d: choose 1 or more", c.Concurrency)
	}
	if c.MoveTime != nil {
		if o.Control.MoveTime = *c.MoveTime; *c.MoveTime <= 0 {
			return o, fmt.Errorf("--movetime %v: choose more than 0", *c.MoveTime)
		}
	}
	if c.Nodes != nil {
		if o.Control.Nodes = *c.Nodes; *c.Nodes < 1 {
			return o, fmt.Errorf("--nodes %d: choose 1 or more", *c.Nodes)
		}
	}
	if c.Depth != nil {
		if o.Control.Depth = *c.Depth; *c.Depth < 1 {
			return o, fmt.Errorf("--depth %d: choose 1 or more", *c.Depth)
		}
	}
	if o.Control == (match.Control{}) {
		return o, errors.New("how long may the engines think? Give --tc, --movetime, --nodes or --depth")
	}
	if !c.PlayOut {
		o.Adjudication = match.DefaultAdjudication
	}
	if c.SPRT.given {
		o.SPRT = &match.SPRT{Elo0: c.SPRT.elo0, Elo1: c.SPRT.elo1, Alpha: c.Alpha, Beta: c.Beta}
	}
	var err error
	if o.Players[0], err = matchPlayer(c.A, c.NameA, c.Option, c.OptionA); err != nil {
		return o, fmt.Errorf("--a: %w", err)
	}
	if o.Players[1], err = matchPlayer(c.B, c.NameB, c.Option, c.OptionB); err != nil {
		return o, fmt.Errorf("--b: %w", err)
	}
	return o, nil
}

// matchPlayer makes a player of a command, a name and the options for it.
func matchPlayer(command, name string, options ...[]string) (match.Player, error) {
	p := match.Player{Name: name}
	words, err := splitWords(command)
	switch {
	case err != nil:
		return p, fmt.Errorf("command %q: %w", command, err)
	case len(words) == 0:
		return p, errors.New("the command is empty")
	case words[0] == "self" && len(words) == 1:
		path, err := os.Executable()
		if err != nil {
			return p, err
		}
		words = []string{path, "uci"}
	}
	p.Command = uciclient.Command{Path: words[0], Args: words[1:]}
	for _, list := range options {
		for _, text := range list {
			name, value, ok := strings.Cut(text, "=")
			if !ok || name == "" {
				return p, fmt.Errorf("option %q: write NAME=VALUE, such as Hash=16, or NAME= for a button", text)
			}
			p.Options = append(p.Options, match.Setting{Name: name, Value: value})
		}
	}
	return p, nil
}

// openings returns where the games begin, and a function to call at the end.
func (c matchCommand) openings() (match.Openings, func(), error) {
	if c.Plies < 0 || c.Plies > 100 {
		return nil, nil, fmt.Errorf("--plies %d: choose 0 to 100", c.Plies)
	}
	if c.Openings == "" {
		g, err := match.NewGenerator(c.Seed, c.Plies, c.Chess960)
		if err != nil {
			return nil, nil, err
		}
		return g.Opening, g.Close, nil
	}
	if c.Chess960 {
		return nil, nil, errors.New("--chess960 is for random openings: those of a file say themselves what they are")
	}
	o, err := match.ReadOpenings(c.Openings, c.Plies, c.Seed)
	return o, func() {}, err
}
