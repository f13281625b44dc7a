package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

// footer stands below the list of the commands.
const footer = `
Examples:
  castellan help COMMAND                tell more about a command
  castellan local                       play against it in the browser, without an account
  castellan upgrade                     make the account of CASTELLAN_TOKEN a BOT account
  castellan doctor                      look whether all is well, and what to do when it is not
  castellan                             be online
  source <(castellan completion bash)   complete the command line

Environment:
  CASTELLAN_TOKEN, CASTELLAN_TOKEN_FILE, and more than a hundred settings: castellan config.
  NO_COLOR for a log without colours; HTTPS_PROXY for a way out; GOMEMLIMIT and GOMAXPROCS as in any Go program.

Exit codes:
  0 success; 1 a failure at run time; 2 a wrong flag, argument or setting; 3 a challenge that was not accepted.
`

// usualCodes stands below the help of a command that has not more to say of its exit code.
const usualCodes = "The exit code is 0 after success, 1 after a failure at run time, 2 when a flag, an argument or a setting is wrong."

// printHelp prints a command's help, and more below that of the program. A command that stands for one of its own, as book does for
// book build, shows that one's flags too, and a command of a group has the examples of the group.
func printHelp(options kong.HelpOptions, ctx *kong.Context) error {
	command := ctx.Selected()
	if command == nil || len(ctx.Args) > 0 && strings.HasPrefix(ctx.Args[0], "-") {
		if err := kong.DefaultHelpPrinter(options, ctx); err != nil {
			return err
		}
		_, err := io.WriteString(ctx.Stdout, footer)
		return err
	}
	if usual := command.DefaultCmd; usual != nil {
		command.Flags = slices.Concat(command.Flags, usual.Flags)
		command.Positional = usual.Positional
	}
	if command.Detail == "" && command.Parent != nil {
		command.Detail = command.Parent.Detail
	}
	if err := kong.DefaultHelpPrinter(options, ctx); err != nil {
		return err
	}
	if strings.Contains(strings.Join(strings.Fields(command.Detail), " "), "exit code is 0 ") {
		return nil
	}
	_, err := fmt.Fprintf(ctx.Stdout, "\n%s\n", usualCodes)
	return err
}
