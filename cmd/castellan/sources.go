package main

import (
	"errors"
	"fmt"
	"log/slog"
	"time"

	"castellan/bot/sources"
	"castellan/config"
	"castellan/engine"
	"castellan/engine/book"
	"castellan/engine/chess"
	"castellan/lichess"
)

// openedBooks are the books of the settings. One that is for both colours is open once.
type openedBooks struct {
	all     []*book.Book
	byColor map[chess.Color]*book.Books
}

func (o openedBooks) close() {
	for _, b := range o.all {
		b.Close()
	}
}

// openBooks opens the books of the settings, checked. All files at fault are told at once.
func openBooks(cfg *config.Config) (openedBooks, error) {
	var o openedBooks
	var faults []error
	open := func(variable string, paths config.Paths) (books []*book.Book) {
		for _, path := range paths {
			b, err := book.Open(path)
			if err != nil {
				faults = append(faults, fmt.Errorf("%s: %w", variable, err))
				continue
			}
			books = append(books, b)
		}
		o.all = append(o.all, books...)
		return books
	}
	general := open("CASTELLAN_BOOK", cfg.Book)
	white, black := open("CASTELLAN_BOOK_WHITE", cfg.BookWhite), open("CASTELLAN_BOOK_BLACK", cfg.BookBlack)
	if len(faults) > 0 {
		o.close()
		return openedBooks{}, usageError{errors.Join(faults...)}
	}
	options := book.Options{
		Choice: map[config.Choice]book.Choice{"weighted": book.Weighted, "best": book.Best, "uniform": book.Uniform}[cfg.BookChoice],
		Depth:  int(cfg.BookDepth), MinWeight: int(cfg.BookMinWeight),
	}
	o.byColor = map[chess.Color]*book.Books{}
	for color, own := range map[chess.Color][]*book.Book{chess.White: white, chess.Black: black} {
		if books := append(own[:len(own):len(own)], general...); len(books) > 0 {
			o.byColor[color] = book.NewBooks(books, options)
		}
	}
	return o, nil
}

// referenceOptions puts the settings into the terms of the client for look-ups.
func referenceOptions(cfg *config.Config, log *slog.Logger) lichess.ReferenceOptions {
	return lichess.ReferenceOptions{
		ExplorerURL: string(cfg.Explorer.URL), CloudURL: string(cfg.Cloud.URL), TablebaseURL: string(cfg.Tablebase.URL),
		ExplorerToken: lichess.Token(cfg.Explorer.Token.Reveal()), Version: buildVersion(), Logger: log,
	}
}

var sourceKinds = map[string]sources.Kind{
	"book": sources.Book, "explorer": sources.Explorer, "cloud": sources.Cloud, "tablebase": sources.Tablebase,
}

// sourceOptions puts the settings into the terms of the sources of moves. own knows the endgame tables that are here.
func sourceOptions(cfg *config.Config, f files, reference *lichess.Reference, own *engine.Engine, log *slog.Logger) sources.Options {
	o := sources.Options{
		Books: f.books.byColor, Reference: reference, Known: own.InTables,
		Timeout: time.Duration(cfg.SourceTimeout), Misses: int(cfg.SourceMisses),
		Database: lichess.Database(cfg.Explorer.Database), MinGames: int(cfg.Explorer.MinGames), Plies: int(cfg.Explorer.Depth),
		Choice:   map[config.Choice]sources.Choice{"weighted": sources.Weighted, "popular": sources.Popular, "score": sources.Score}[cfg.Explorer.Choice],
		MinDepth: int(cfg.Cloud.MinDepth), Log: log,
	}
	for _, name := range cfg.Sources {
		// A level below full strength is to play as weakly where others know the best move.
		if k := sourceKinds[name]; cfg.Elo == 0 || k == sources.Book || k == sources.Explorer {
			o.Order = append(o.Order, k)
		}
	}
	o.MinClock[sources.Book] = time.Duration(cfg.BookMinClock)
	o.MinClock[sources.Explorer] = time.Duration(cfg.Explorer.MinClock)
	o.MinClock[sources.Cloud] = time.Duration(cfg.Cloud.MinClock)
	o.MinClock[sources.Tablebase] = time.Duration(cfg.Tablebase.MinClock)
	return o
}
