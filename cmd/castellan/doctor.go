package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"castellan/config"
	"castellan/lichess"
)

type doctorCommand struct {
	JSON bool `name:"json" help:"Print JSON."`
}

// Help is shown by castellan doctor --help.
func (doctorCommand) Help() string {
	return `Examples:

  CASTELLAN_TOKEN_FILE=/etc/castellan/token castellan doctor
  castellan doctor --json

It looks at the settings of the environment, at the files and folders that they name, the memory and another engine; then at the way
to the server, the token, the account, the clock and how long the server takes to answer. Each fault comes with what to do about it. Nothing
is changed, and a daemon that runs with the same token is not disturbed.

The exit code is 0 when the daemon could play, 1 when there is a fault. A warning is none.

With --json: {"ok", "faults", "warnings", "checks": [{"check", "state", "says", "advice"}]}, state being ok, warning, fault or skipped.`
}

// finding is what a check has found.
type finding struct {
	Check  string `json:"check"`
	State  string `json:"state"`
	Says   string `json:"says"`
	Advice string `json:"advice,omitempty"` // what to do, with a warning or fault
}

// The states of a finding.
const (
	stateOK      = "ok"
	stateWarning = "warning"
	stateFault   = "fault"
	stateSkipped = "skipped" // for another fault is in the way
)

// doctor collects findings, and prints them as they come when it has somewhere to.
type doctor struct {
	cfg      *config.Config
	findings []finding
	out      io.Writer // nil for nowhere
}

func (d *doctor) note(check, state, advice, format string, args ...any) {
	// What the server and others say is part of it: one line, and never the token.
	clean := func(text string) string {
		scrubbed := text
		for _, secret := range []config.Secret{d.cfg.Token, d.cfg.Explorer.Token} {
			if secret.IsSet() {
				scrubbed = string(lichess.Scrub([]byte(scrubbed), secret.Reveal()))
			}
		}
		return lichess.CleanText(scrubbed, 600)
	}
	f := finding{check, state, clean(fmt.Sprintf(format, args...)), clean(advice)}
	d.findings = append(d.findings, f)
	if d.out == nil {
		return
	}
	if state == stateFault {
		state = "FAULT" // to be seen
	}
	fmt.Fprintf(d.out, "%-8s %-13s %s\n", state, check, f.Says)
	if f.Advice != "" {
		for _, line := range wrap(f.Advice, 100) {
			fmt.Fprintf(d.out, "%-8s %-13s   %s\n", "", "", line)
		}
	}
}

func (d *doctor) ok(check, format string, args ...any) { d.note(check, stateOK, "", format, args...) }

func (d *doctor) fault(check, advice, format string, args ...any) {
	d.note(check, stateFault, advice, format, args...)
}

func (d *doctor) warn(check, advice, format string, args ...any) {
	d.note(check, stateWarning, advice, format, args...)
}

func (d *doctor) skip(check, why string) { d.note(check, stateSkipped, "", "%s", why) }

func (d *doctor) count(state string) (n int) {
	for _, f := range d.findings {
		if f.State == state {
			n++
		}
	}
	return n
}

// Run makes all checks.
func (c doctorCommand) Run(ctx context.Context, std streams) error {
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGTERM, os.Interrupt)
	defer stop()
	cfg, settingFaults := config.LoadOnline()
	d := &doctor{cfg: &cfg}
	if !c.JSON {
		d.out = std.out
	}
	d.settings(settingFaults)
	d.memory()
	d.files()
	d.folders()
	d.listening()
	d.engine()
	if d.way(ctx) {
		d.server(ctx)
	}
	faults, warnings := d.count(stateFault), d.count(stateWarning)
	if c.JSON {
		if err := printJSON(std.out, struct {
			OK       bool      `json:"ok"`
			Faults   int       `json:"faults"`
			Warnings int       `json:"warnings"`
			Checks   []finding `json:"checks"`
		}{faults == 0, faults, warnings, d.findings}); err != nil {
			return err
		}
	}
	switch {
	case ctx.Err() != nil:
		return errors.New("doctor: interrupted")
	case faults > 0:
		return fmt.Errorf("doctor: %s, %s", plural(faults, "fault"), plural(warnings, "warning"))
	case !c.JSON:
		_, err := fmt.Fprintf(std.out, "The daemon can play; %s.\n", plural(warnings, "warning"))
		return err
	}
	return nil
}

// apart returns the errors that were joined into one.
func apart(err error) []error {
	if err == nil {
		return nil
	}
	for inner := err; inner != nil; inner = errors.Unwrap(inner) {
		joined, ok := inner.(interface{ Unwrap() []error })
		if !ok {
			continue
		}
		var all []error
		for _, e := range joined.Unwrap() {
			all = append(all, apart(e)...)
		}
		if len(all) > 1 {
			return all
		}
		break
	}
	return []error{err}
}
