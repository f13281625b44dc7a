package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math"

	"castellan/bot/archive"
	"castellan/lichess"
)

type statsCommand struct {
	Paths []string `arg:"" complete:"file" name:"dir" help:"Folder that CASTELLAN_PGN_DIR named, or any PGN files."`
	Name  string   `placeholder:"ACCOUNT" help:"Whose figures: the account that played in most of the games when not given; of two with as many the bot, and else both."`
	JSON  bool     `name:"json" help:"Print JSON."`
}

// Help is shown by castellan stats --help.
func (statsCommand) Help() string {
	return `Examples:

  castellan stats /var/lib/castellan/games
  castellan stats --name Rival --json games.pgn

Games without a result and those of which the account is no player are left out; the last lines say how many. Folders in a folder are
not read, so that games in play do not count. Where a PGN has neither titles nor the address of a game on a server, as that of castellan match,
nobody can know whether the opponent is a person: the kind is unknown.

The performance is the rating with which the score would have been expected, by the sum over all games against rated opponents of
1/(1+10^((opponent-rating)/400)) (Elo, "The Rating of Chessplayers", 1978). With no point or all of them it is 800 away from the average
opponent, as in FIDE's table (Handbook B.02, 8.1.1).`
}

// Run reads the files and prints the figures.
func (c statsCommand) Run(std streams) error {
	files, err := archive.Paths(c.Paths)
	if err != nil {
		return usageError{err}
	}
	if len(files) == 0 {
		return usagef("%s: there are no PGN files", c.Paths[0])
	}
	s, err := archive.Read(files, c.Name, nil)
	out := bufio.NewWriter(std.out)
	if tie := (*archive.TieError)(nil); errors.As(err, &tie) && !c.JSON {
		for i, name := range tie.Accounts {
			if s, err = archive.Read(files, name, nil); err != nil {
				return err
			}
			if i > 0 {
				fmt.Fprintln(out)
			}
			printStats(out, s)
		}
		return out.Flush()
	}
	if err != nil {
		return err
	}
	if c.JSON {
		return printJSON(std.out, s)
	}
	printStats(out, s)
	return out.Flush()
}

func printStats(out io.Writer, s *archive.Stats) {
	fmt.Fprintf(out, "%s: %s", lichess.CleanText(s.Account, 60), plural(s.All.Games(), "game"))
	if s.From != "" {
		fmt.Fprintf(out, ", %s to %s", s.From, s.To)
	}
	fmt.Fprintf(out, "\n\n%-16s%7s%15s%15s%15s%9s\n", "", "games", "won", "drawn", "lost", "score")
	row := func(name string, c archive.Count) {
		if n := c.Games(); n > 0 {
			share := func(k int) string { return fmt.Sprintf("%d %5.1f%%", k, 100*float64(k)/float64(n)) }
			fmt.Fprintf(out, "%-16s%7d%15s%15s%15s%8.1f%%\n", name, n, share(c.Won), share(c.Drawn), share(c.Lost), 100*c.Score())
		}
	}
	row("all", s.All)
	for _, by := range []struct {
		counts map[string]archive.Count
		rows   [][2]string // key and name
	}{
		{s.ByColor, [][2]string{{"white", "as White"}, {"black", "as Black"}}},
		{s.BySpeed, [][2]string{{"ultraBullet", "ultraBullet"}, {"bullet", "bullet"}, {"blitz", "blitz"}, {"rapid", "rapid"},
			{"classical", "classical"}, {"correspondence", "correspondence"}, {"unknown", "unknown speed"}}},
		{s.ByOpponent, [][2]string{{archive.Person, "against people"}, {archive.Bot, "against bots"}, {archive.AI, "lichess AI"},
			{"unknown", "unknown kind"}}},
	} {
		fmt.Fprintln(out)
		for _, r := range by.rows {
			row(r[1], by.counts[r[0]])
		}
	}
	if p := s.Performance; p != nil {
		bound := ""
		if p.Bound != "" {
			bound = p.Bound + " "
		}
		fmt.Fprintf(out, "\nperformance %s%d: %.1f%% in %s against %d on average\n", bound, p.Rating, 100*p.Score, plural(p.Games, "game"),
			int(math.Round(p.Average)))
	}
	if s.Open > 0 {
		fmt.Fprintf(out, "%s left out: without a result, or of others\n", plural(s.Open, "game"))
	}
	if s.Faulty > 0 {
		fmt.Fprintf(out, "%s left out: not to be read\n", plural(s.Faulty, "game"))
	}
}

// plural is a number of things in words.
func plural(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}
