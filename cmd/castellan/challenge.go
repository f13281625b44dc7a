package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"castellan/bot/opponents"
	"castellan/engine/chess"
	"castellan/lichess"
)

type challengeCommand struct {
	User  string     `arg:"" help:"Name of the account to challenge."`
	Clock *clockFlag `arg:"" optional:"" help:"Clock, such as 3+2: minutes and seconds a move."`

	Days      int           `placeholder:"N" help:"Days a move in place of a clock: 1, 2, 3, 5, 7, 10 or 14."`
	Unlimited bool          `help:"No limit of time at all."`
	Rated     bool          `help:"For the ratings; casual without this."`
	Color     string        `enum:"white,black,random" default:"random" help:"The bot's colour: ${enum} (${default})."`
	Variant   string        `enum:"standard,chess960" default:"standard" help:"Variant: ${enum} (${default})."`
	FEN       string        `name:"fen" placeholder:"FEN" help:"Position to begin from, in quotes; casual games only."`
	Wait      time.Duration `placeholder:"DURATION" help:"Longest wait for the answer, after which the challenge is withdrawn: a minute with a clock. One without a clock stands when this is not given."`
	JSON      bool          `name:"json" help:"Print JSON."`
}

// Help is shown by castellan challenge --help.
func (challengeCommand) Help() string {
	return `Examples:

  castellan challenge maia1 3+2 --rated
  castellan challenge Somebody --days 2 --color white
  castellan challenge Somebody 5+3 --fen '8/8/8/4k3/8/8/8/3QK3 w - - 0 1'

The challenge is made for the account of CASTELLAN_TOKEN. A daemon that runs with the same token plays the game; its event stream is left
alone. Without one, start it when the challenge is accepted. Ctrl-C withdraws the challenge. A challenge counts for the server's limits:
5 of 25 points a minute and 200 a day (1 when the opponent is a bot); with CASTELLAN_STATE_DIR those made before, by the daemon or by this
command, are counted in. A daemon that runs with the same token counts this one.

The exit code is 0 when the challenge was accepted (or stands), 3 when it was declined, withdrawn or not answered, 2 when something on the
command line or in the settings is wrong, 1 when the server refuses or does not answer.`
}

// usualWait is the wait for an answer to a challenge with a clock, and withdrawTimeout that for a withdrawal.
const (
	usualWait       = time.Minute
	withdrawTimeout = 10 * time.Second
)

// errRefused is a challenge that the opponent did not accept.
var errRefused = errors.New("the challenge was not accepted")

var errNoAnswer = errors.New("no answer")

// challengeOutcome is what became of a challenge, as JSON.
type challengeOutcome struct {
	ID       string `json:"id"`
	URL      string `json:"url"`      // of the challenge, and of the game that comes of it
	Opponent string `json:"opponent"` // as the server writes the name
	Status   string `json:"status"`   // accepted, declined, canceled, unanswered, or created for one that stands
}

func (c challengeCommand) Run(ctx context.Context, std streams) error {
	request, err := c.request()
	if err != nil {
		return err
	}
	cfg, client, err := goOnline()
	if err != nil {
		return err
	}
	defer client.Close()
	state, err := openState(cfg, slog.New(slog.DiscardHandler))
	if err != nil {
		return err
	}
	if state != nil {
		client.Recall(state.Used(time.Now()))
		// A daemon counts it by the event; without one it is here for the next to know.
		state.Challenged(time.Now(), request.Points())
		if err := opponents.Save(string(cfg.State.Dir), state.Changed(time.Now())); err != nil {
			return fmt.Errorf("CASTELLAN_STATE_DIR: %w", err)
		}
	}
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGTERM, os.Interrupt)
	defer stop()
	outcome := challengeOutcome{Opponent: c.User}
	made := func(ch *lichess.Challenge) {
		outcome.ID, outcome.URL = ch.ID, ch.URL
		if ch.DestUser != nil {
			outcome.Opponent = ch.DestUser.Name
		}
	}
	if c.Wait == 0 && !request.TimeControl.RealTime() {
		ch, err := client.CreateChallenge(ctx, c.User, request)
		if err != nil {
			return challengeAdvice(err, client.URL())
		}
		made(ch)
		outcome.Status = string(lichess.ChallengeCreated)
		return c.tell(std, outcome)
	}
	wait := c.Wait
	if wait == 0 {
		wait = usualWait
	}
	waiting, cancel := context.WithTimeoutCause(ctx, wait, errNoAnswer)
	defer cancel()
	status, err := client.AwaitChallenge(waiting, c.User, request, func(ch *lichess.Challenge) {
		made(ch)
		if !c.JSON {
			fmt.Fprintf(std.err, "Waiting %v for %s to answer %s\n", wait, outcome.Opponent, outcome.URL)
		}
	})
	outcome.Status = string(status)
	if err != nil {
		if outcome.ID == "" {
			return challengeAdvice(err, client.URL())
		}
		if err := withdraw(client, outcome.ID); err != nil {
			return fmt.Errorf("the challenge %s could not be withdrawn: %w", outcome.URL, err)
		}
		if !errors.Is(err, errNoAnswer) && ctx.Err() == nil {
			return fmt.Errorf("the answer could not be heard, and the challenge was withdrawn: %w", err)
		}
		outcome.Status = "unanswered"
		if ctx.Err() != nil {
			outcome.Status = string(lichess.ChallengeCanceled)
		}
	}
	return c.tell(std, outcome)
}

// request puts the command line into the server's terms. What is wrong with it is told at once.
func (c challengeCommand) request() (lichess.ChallengeRequest, error) {
	r := lichess.ChallengeRequest{Rated: c.Rated, Color: lichess.Color(c.Color), Variant: lichess.VariantKey(c.Variant), FEN: c.FEN}
	ways := 0
	for _, given := range []bool{c.Clock != nil, c.Days != 0, c.Unlimited} {
		if given {
			ways++
		}
	}
	switch {
	case ways != 1:
		return r, usagef("give one of: a clock such as 3+2, --days N, --unlimited")
	case c.Clock != nil:
		if c.Clock.base%time.Second != 0 || c.Clock.increment%time.Second != 0 {
			return r, usagef("clock %v: the server takes whole seconds", c.Clock)
		}
		r.TimeControl = lichess.ClockControl(int(c.Clock.base/time.Second), int(c.Clock.increment/time.Second))
	case c.Unlimited:
		r.TimeControl = lichess.UnlimitedControl()
	default:
		r.TimeControl = lichess.CorrespondenceControl(c.Days)
	}
	if c.Wait < 0 {
		return r, usagef("--wait %v: choose more than nothing", c.Wait)
	}
	if c.FEN != "" {
		if _, err := chess.ParseFEN(c.FEN); err != nil {
			return r, usageError{fmt.Errorf("--fen: %w", err)}
		}
		if r.Variant == lichess.VariantStandard {
			r.Variant = lichess.VariantFromPosition
		}
	}
	if err := r.Check(); err != nil {
		return r, usageError{err}
	}
	return r, nil
}

// tell prints what became of the challenge; its error is the exit code.
func (c challengeCommand) tell(std streams, o challengeOutcome) error {
	var err error
	if c.JSON {
		err = printJSON(std.out, o)
	}
	switch lichess.ChallengeStatus(o.Status) {
	case lichess.ChallengeAccepted:
		if !c.JSON {
			_, err = fmt.Fprintf(std.out, "%s accepted: %s\n", o.Opponent, o.URL)
		}
		return err
	case lichess.ChallengeCreated:
		if !c.JSON {
			_, err = fmt.Fprintf(std.out, "%s is challenged: %s\n", o.Opponent, o.URL)
		}
		return err
	case lichess.ChallengeDeclined:
		return errors.Join(err, fmt.Errorf("%w: %s declined %s", errRefused, o.Opponent, o.URL))
	case lichess.ChallengeCanceled:
		return errors.Join(err, fmt.Errorf("%w: it was withdrawn", errRefused))
	}
	return errors.Join(err, fmt.Errorf("%w: %s did not answer, and it was withdrawn", errRefused, o.Opponent))
}

// withdraw takes a challenge back; that it is gone already is fine.
func withdraw(client *lichess.Client, id string) error {
	ctx, cancel := context.WithTimeout(context.Background(), withdrawTimeout)
	defer cancel()
	if err := client.CancelChallenge(ctx, id); err != nil && !errors.Is(err, lichess.ErrNotFound) {
		return err
	}
	return nil
}

// challengeAdvice says what to do about a refusal.
func challengeAdvice(err error, server string) error {
	var refused *lichess.APIError
	switch {
	case errors.As(err, &refused) && refused.Status == http.StatusBadRequest:
		return fmt.Errorf("%s refuses the challenge: %s", server, refused.Message)
	case errors.Is(err, lichess.ErrNotFound):
		return fmt.Errorf("there is no such account on %s, or it cannot be challenged: %w", server, err)
	case errors.Is(err, lichess.ErrUnauthorized), errors.Is(err, lichess.ErrForbidden):
		return fmt.Errorf("make a token with the permission %s at %s: %w", lichess.ScopeBotPlay, lichess.TokenPage(server), err)
	}
	return withAdvice(err)
}
