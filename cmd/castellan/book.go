package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"castellan/engine/book"
	"castellan/engine/chess"
)

type bookCommand struct {
	Build bookBuildCommand `cmd:"" default:"withargs" help:"Make a book out of games in PGN (the default)."`
	Show  bookShowCommand  `cmd:"" help:"List a book's moves for a position with their weights, the heaviest first."`
}

// Help is shown by castellan book --help.
func (bookCommand) Help() string {
	return `Examples:

  castellan book --out own.bin --min-games 5 games.pgn      make a book
  zstdcat games.pgn.zst | castellan book --out own.bin      out of a stream
  castellan book show own.bin                               its moves for the start
  CASTELLAN_BOOK=own.bin castellan run                      play from it`
}

type bookBuildCommand struct {
	Out      string   `required:"" complete:"file" help:"File to write. It is replaced only when the book is complete." placeholder:"FILE"`
	Plies    int      `default:"30" placeholder:"N" help:"Plies of each game to take, 1 to 1000 (${default})."`
	MinGames int      `default:"3" placeholder:"N" help:"Least number of games in which a move must have been played (${default})."`
	PGN      []string `arg:"" complete:"file" optional:"" help:"Files with games; - or none is standard input."`
}

// maxFaultsShown is how many faulty games are told one by one.
const maxFaultsShown = 10

// Run reads the games as a stream. Games that are faulty, have no result or start elsewhere than at the start of standard chess
// are left out and counted.
func (c bookBuildCommand) Run(ctx context.Context, std streams) error {
	if c.Plies < 1 || c.Plies > 1000 {
		return usagef("--plies %d: choose 1 to 1000", c.Plies)
	}
	if c.MinGames < 1 {
		return usagef("--min-games %d: choose 1 or more", c.MinGames)
	}
	files := c.PGN
	if len(files) == 0 {
		files = []string{"-"}
	}
	progress := newProgressLine(std.err)
	defer progress.clear()
	intake := bookIntake{builder: book.NewBuilder(c.Plies, c.MinGames), start: chess.StartPosition(), log: progress, size: totalSize(files)}
	for _, name := range files {
		if err := intake.readFile(ctx, name, std.in); err != nil {
			return err
		}
	}
	fmt.Fprintf(progress, "%d games taken; left out: %d faulty, %d without a result, %d from another start\n",
		intake.taken, intake.faulty, intake.unfinished, intake.elsewhere)
	n, err := writeBook(c.Out, intake.builder)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(std.out, "%s: %s\n", c.Out, plural(n, "move"))
	return err
}

// bookIntake hands games to a builder and counts what becomes of them.
type bookIntake struct {
	builder                              *book.Builder
	start                                chess.Position
	log                                  *progressLine
	size, done                           int64 // bytes of all files and those read; a size of 0 is one that nobody knows
	games                                int   // read
	taken, faulty, unfinished, elsewhere int
}

func (b *bookIntake) readFile(ctx context.Context, name string, stdin io.Reader) error {
	if name == "-" {
		return b.read(ctx, "standard input", stdin)
	}
	file, err := os.Open(name)
	if err != nil {
		return err
	}
	defer file.Close()
	return b.read(ctx, name, file)
}

func (b *bookIntake) read(ctx context.Context, name string, in io.Reader) error {
	for game, err := range chess.NewPGNReader(countingReader{in, &b.done}).All() {
		b.games++
		if b.games%1000 == 0 {
			b.log.show(b.done, b.size, fmt.Sprintf("%s: %d games taken, %d left out", name, b.taken, b.games-1-b.taken))
		}
		var fault *chess.PGNError
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case errors.As(err, &fault):
			if b.faulty++; b.faulty <= maxFaultsShown {
				fmt.Fprintf(b.log, "left out: %s: %v\n", name, err)
			}
		case err != nil:
			return fmt.Errorf("%s: %w", name, err)
		case game.Result == "*":
			b.unfinished++
		case game.Game.Start() != b.start:
			b.elsewhere++
		default:
			if err := b.builder.Add(game.Game, game.Result); err != nil {
				return err
			}
			b.taken++
		}
	}
	return nil
}

// countingReader adds up what is read.
type countingReader struct {
	io.Reader
	sum *int64
}

func (r countingReader) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	*r.sum += int64(n)
	return n, err
}

// totalSize is the size of all files in bytes, 0 when one of them has none.
func totalSize(names []string) (sum int64) {
	for _, name := range names {
		info, err := os.Stat(name)
		if err != nil || !info.Mode().IsRegular() {
			return 0
		}
		sum += info.Size()
	}
	return sum
}

// writeBook writes a book beside its place and then moves it there, so that the place never holds half of one.
func writeBook(path string, builder *book.Builder) (entries int, err error) {
	part := fmt.Sprintf("%s.%d.part", path, os.Getpid())
	file, err := os.OpenFile(part, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return 0, err
	}
	defer func() {
		if err != nil {
			os.Remove(part)
		}
	}()
	entries, err = builder.Write(file)
	if err == nil && entries == 0 {
		err = errors.New("no move is left for the book: give more games or a lower --min-games")
	}
	if err == nil {
		err = file.Sync()
	}
	if err = errors.Join(err, file.Close()); err != nil {
		return 0, err
	}
	return entries, os.Rename(part, path)
}

type bookShowCommand struct {
	File string   `arg:"" complete:"file" help:"Polyglot book."`
	FEN  []string `arg:"" optional:"" name:"fen" help:"Position, quoted or not. The start of the game by default."`
}

func (c bookShowCommand) Run(std streams) error {
	p, passed, err := bookPosition(strings.Join(c.FEN, " "))
	if err != nil {
		return usageError{err}
	}
	b, err := book.Open(c.File)
	if err != nil {
		return err
	}
	defer b.Close()
	moves, err := b.Moves(&p, book.Key(&p, passed))
	if err != nil {
		return err
	}
	if len(moves) == 0 {
		return fmt.Errorf("%s has no move for %s", c.File, p.FEN())
	}
	total := 0
	for _, m := range moves {
		total += m.Weight
	}
	for _, m := range moves {
		if _, err := fmt.Fprintf(std.out, "%-8s %6d %5.1f%%\n", p.SAN(m.Move), m.Weight, 100*float64(m.Weight)/float64(max(total, 1))); err != nil {
			return err
		}
	}
	return nil
}

// bookPosition reads a FEN, or takes the start of the game for an empty one. The square that the last move passed over comes from
// the FEN itself, since a position keeps it only when a capture on it is legal.
func bookPosition(fen string) (p chess.Position, passed chess.Square, err error) {
	if fen == "" {
		return chess.StartPosition(), chess.NoSquare, nil
	}
	if p, err = chess.ParseFEN(fen); err != nil {
		return p, chess.NoSquare, err
	}
	passed = chess.NoSquare
	if fields := strings.Fields(fen); len(fields) > 3 {
		passed, _ = chess.ParseSquare(fields[3])
	}
	return p, passed, nil
}
