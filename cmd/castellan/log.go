package main

import (
	"io"
	"log/slog"
	"os"
	"time"

	"github.com/lmittmann/tint"
	"github.com/mattn/go-isatty"

	"castellan/config"
)

// newLog returns a logger to standard error as the settings say. Colour is for terminals, unless NO_COLOR is set (https://no-color.org).
func newLog(cfg *config.Config, to io.Writer) *slog.Logger {
	var level slog.Level
	// The settings take the four names that slog knows and no others.
	if err := level.UnmarshalText([]byte(cfg.Log.Level)); err != nil {
		panic(err)
	}
	file, isFile := to.(*os.File)
	terminal := isFile && isatty.IsTerminal(file.Fd())
	switch format := string(cfg.Log.Format); {
	case format == "json", format == "auto" && !terminal:
		return slog.New(slog.NewJSONHandler(to, &slog.HandlerOptions{Level: level}))
	default:
		return slog.New(tint.NewTextHandler(to, &tint.Options{Level: level, TimeFormat: time.TimeOnly, NoColor: !terminal || os.Getenv("NO_COLOR") != ""}))
	}
}
