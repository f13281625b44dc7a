package main

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strings"

	"castellan/bot/opponents"
	"castellan/config"
	"castellan/engine/search"
	"castellan/engine/tablebase"
)

// settings tells what is wrong with the environment, a missing or malformed token included.
func (d *doctor) settings(err error) {
	var faults config.Faults
	errors.As(err, &faults)
	for _, f := range faults {
		advice := "castellan config lists all settings"
		if f.Legal != "" {
			advice = "set it to " + f.Legal
		}
		f.Legal = ""
		d.fault("settings", advice, "%v", f)
	}
	if _, err := d.cfg.NameLists(); err != nil {
		d.fault("settings", "mend the file, or take its setting away", "%v", err)
	}
	if len(faults) > 0 {
		return
	}
	all := d.cfg.Settings()
	d.ok("settings", "%d; not the default: %d", len(all), len(changed(all)))
}

// memory chooses the table's size as the daemon would.
func (d *doctor) memory() {
	if err := fitMemory(d.cfg, slog.New(slog.DiscardHandler)); err != nil {
		d.fault("memory", lessMemory(d.cfg), "%v", err)
		usualTable(d.cfg)
		return
	}
	_, need := memoryNeeds(d.cfg)
	have, source := search.MemoryLimit()
	d.ok("memory", "%d MiB at most, of %d MiB that %s has; a table of %v MiB", (need+mib-1)/mib, have/mib, source, d.cfg.HashMB)
}

// files opens the books and endgame tables.
func (d *doctor) files() {
	if paths := len(d.cfg.Book) + len(d.cfg.BookWhite) + len(d.cfg.BookBlack); paths > 0 {
		books, err := openBooks(d.cfg)
		for _, e := range apart(err) {
			d.fault("books", "give the path of a Polyglot book that can be read; castellan book makes one", "%v", e)
		}
		if err == nil {
			d.ok("books", "%s", plural(len(books.all), "book"))
			books.close()
		}
	}
	if len(d.cfg.SyzygyPath) == 0 {
		return
	}
	tables, err := openTables(d.cfg)
	switch {
	case err != nil:
		d.fault("tables", "name folders with Syzygy files (.rtbw and .rtbz)", "%v", err)
		return
	case tables.Counts() == (tablebase.Counts{}):
		d.fault("tables", "name folders with Syzygy files (.rtbw and .rtbz)", "CASTELLAN_SYZYGY_PATH: there are no tables")
	case tables.Counts().DTZ == 0:
		d.warn("tables", "get the .rtbz files too: without them won endgames are known, and not how to win them", "%v", tables.Counts())
	default:
		d.ok("tables", "%v", tables.Counts())
	}
	tables.Close()
}

// folders looks whether what is to be kept can be written.
func (d *doctor) folders() {
	for _, folder := range []struct {
		check, variable, path string
		made                  bool // by the daemon, when it is not there
	}{
		{"state", "CASTELLAN_STATE_DIR", string(d.cfg.State.Dir), false},
		{"record", "CASTELLAN_RECORD_DIR", string(d.cfg.Record.Dir), true},
		{"games", "CASTELLAN_PGN_DIR", string(d.cfg.PGN.Dir), true},
	} {
		if folder.path == "" {
			continue
		}
		dir, exists := folder.path, true
		if folder.made {
			dir, exists = firstThere(folder.path)
		}
		err := opponents.CheckDir(dir)
		switch {
		case err != nil && !exists:
			d.fault(folder.check, folderAdvice(err), "%s: %s is not there and cannot be made: %v", folder.variable, folder.path, err)
		case err != nil:
			d.fault(folder.check, folderAdvice(err), "%s: %v", folder.variable, err)
		case !exists:
			d.ok(folder.check, "%s is not there yet and can be made", folder.path)
		default:
			d.ok(folder.check, "%s can be written to", folder.path)
		}
	}
}

// folderAdvice is what to do about a folder that nothing can be written into.
func folderAdvice(err error) string {
	if errors.Is(err, fs.ErrNotExist) {
		return "make the folder, or mount the volume that holds it"
	}
	return fmt.Sprintf("name another folder, or let the user that runs the program (%d) write there; in a container that is 65532", os.Getuid())
}

// listening looks whether the addresses to be seen at are free. That one is taken is no fault: the daemon that has it may be running.
func (d *doctor) listening() {
	for _, at := range []struct {
		check, variable string
		addr            config.Addr
	}{{"status page", "CASTELLAN_STATUS_ADDR", d.cfg.StatusAddr}, {"metrics", "CASTELLAN_METRICS_ADDR", d.cfg.MetricsAddr}} {
		if at.addr == "" {
			continue
		}
		listener, err := net.Listen("tcp", string(at.addr))
		if err != nil {
			d.warn(at.check, "if the daemon is running, it is at that address and all is well; else "+listenAdvice, "%s: %v", at.variable, err)
			continue
		}
		listener.Close()
		d.ok(at.check, "%s is free", at.addr)
	}
}

// firstThere returns the folder, or the nearest above it that exists.
func firstThere(path string) (dir string, itself bool) {
	for dir = filepath.Clean(path); ; dir = filepath.Dir(dir) {
		if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) || dir == filepath.Dir(dir) {
			return dir, dir == filepath.Clean(path)
		}
	}
}

// engine starts the other engine, when there is one.
func (d *doctor) engine() {
	if d.cfg.Engine == "" {
		return
	}
	other, err := openExternal(d.cfg, nil, slog.New(slog.DiscardHandler))
	if err != nil {
		d.fault("engine", "give the command of a UCI engine that runs here, and options that it has (docs/external-engine.md); without CASTELLAN_ENGINE the built-in one plays",
			"%s", strings.Join(strings.Fields(err.Error()), " "))
		return
	}
	d.ok("engine", "%s", other.Name())
	other.Close()
}
