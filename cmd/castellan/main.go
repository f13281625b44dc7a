// Castellan is a Lichess bot with its own engine, in one program. Each command has a file of its own; main.go holds what they
// share: the command line, the exit codes and the signals.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"strconv"

	"github.com/alecthomas/kong"

	"castellan/config"
	"castellan/engine"
)

// Exit codes.
const (
	exitOK      = 0
	exitFailure = 1 // a failure at run time that the program cannot mend
	exitUsage   = 2 // a wrong flag, argument or setting
	exitRefused = 3 // the opponent did not accept the challenge
)

// streams are the standard streams, or a test's.
type streams struct {
	in       io.Reader
	out, err io.Writer
}

// commandLine is the whole command line; the tags are the help.
type commandLine struct {
	Run         runCommand         `cmd:"" default:"1" help:"Play on Lichess as the BOT account of the token (the default). Settings come from the environment: see castellan config."`
	Local       localCommand       `cmd:"" help:"Play here and now, without an account: a Lichess-compatible server and the bot in one process."`
	UCI         uciCommand         `cmd:"" name:"uci" help:"Be a UCI engine on standard input and output, for chess programs and match runners."`
	Perft       perftCommand       `cmd:"" help:"Count the move sequences of a depth, to check the rules and their speed. The last line is the number alone."`
	Bench       benchCommand       `cmd:"" help:"Search a fixed set of positions. The number of nodes is the same on every run and tells one search from another."`
	Match       matchCommand       `cmd:"" help:"Let two UCI engines play a match and tell what it proves: Elo with its error, and a sequential test."`
	Selfplay    selfplayCommand    `cmd:"" help:"Let the engine play itself and write positions with score and result, to tune the evaluation on."`
	Book        bookCommand        `cmd:"" help:"Make an opening book in the Polyglot format out of games, or look into one."`
	Tune        tuneCommand        `cmd:"" help:"Fit the evaluation's weights to positions of selfplay, and write them as Go source."`
	Stats       statsCommand       `cmd:"" help:"Count the games in PGN files: won, drawn and lost by colour, speed and kind of opponent, and the performance."`
	Replay      replayCommand      `cmd:"" help:"Play a recording to the bot again and show what it decides now beside what it decided then."`
	Healthcheck healthcheckCommand `cmd:"" help:"Ask the daemon with the same environment whether it is well, for containers."`
	Doctor      doctorCommand      `cmd:"" help:"Look whether the daemon could play with these settings, this token and this network, and say what to do about each fault."`
	Upgrade     upgradeCommand     `cmd:"" help:"Turn the account of the token into a BOT account, for good, after its name is typed."`
	Challenge   challengeCommand   `cmd:"" help:"Challenge somebody in the bot's name and wait for the answer. The running daemon plays the game."`
	Arena       arenaCommand       `cmd:"" help:"Join or leave an arena tournament, or tell about one."`
	Config      configCommand      `cmd:"" help:"List every setting: variable, value, default and meaning. Secrets are masked."`
	Completion  completionCommand  `cmd:"" help:"Print a script that makes a shell complete the command line."`
	Complete    completeCommand    `cmd:"" hidden:""`
	Version     versionCommand     `cmd:"" help:"Print the version; --version does so too."`
}

// bare is the command when none is given, "" for the bot. The Makefile sets it for testing frameworks.
var bare string

// usageError is a fault in what the user gave on the command line.
type usageError struct{ err error }

func (e usageError) Error() string { return e.err.Error() }
func (e usageError) Unwrap() error { return e.err }

func usagef(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

func main() {
	// With one processor Go runs one goroutine at a time, and each time slice is 10 ms: a search holds up the order to stop it and
	// the answers of the network for so long. With two the operating system shares the processor out, far sooner.
	if runtime.GOMAXPROCS(0) == 1 && os.Getenv("GOMAXPROCS") == "" {
		runtime.GOMAXPROCS(2)
	}
	os.Exit(execute(context.Background(), os.Args[1:], streams{os.Stdin, os.Stdout, os.Stderr}))
}

// execute runs one command and returns the exit code.
func execute(ctx context.Context, args []string, std streams) int {
	if len(args) == 0 && bare != "" {
		args = []string{bare}
	}
	if len(args) > 0 {
		switch args[0] {
		case "help":
			args = append(slices.Clone(args[1:]), "--help")
		case "--version":
			args = append([]string{"version"}, args[1:]...)
		}
	}
	var line commandLine
	helped := false
	parser := kong.Must(&line, append(slices.Clone(numbersInWords),
		kong.Name("castellan"),
		kong.Description("A Lichess bot with its own chess engine."),
		kong.Writers(std.out, std.err),
		kong.Exit(func(int) { helped = true }),
		kong.Help(printHelp),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true}),
		kong.BindTo(ctx, (*context.Context)(nil)),
		kong.Bind(std),
		kong.Vars{"bench_depth": strconv.Itoa(engine.DefaultBenchDepth)},
	)...)
	command, err := parser.Parse(args)
	if helped {
		return exitOK
	}
	if err == nil {
		err = command.Run()
	} else {
		err = usageError{fmt.Errorf("%s (see castellan %s--help)", plainly(err), commandOf(err, args))}
	}
	return report(err, std.err)
}

// commandOf returns the words of the command that a fault of the command line is in, a space after each; none when no command is named.
func commandOf(err error, args []string) (words string) {
	var fault *kong.ParseError
	if !errors.As(err, &fault) {
		return ""
	}
	for _, step := range fault.Context.Path {
		if step.Command != nil && slices.Contains(args, step.Command.Name) { // what stands for none is not named
			words += step.Command.Name + " "
		}
	}
	return words
}

// report writes what went wrong and returns the exit code that goes with it.
func report(err error, to io.Writer) int {
	if err == nil {
		return exitOK
	}
	fmt.Fprintln(to, "castellan:", err)
	if errors.Is(err, errRefused) {
		return exitRefused
	}
	var usage usageError
	var faults config.Faults
	if errors.As(err, &usage) || errors.As(err, &faults) {
		return exitUsage
	}
	return exitFailure
}
