package main

import (
	"log/slog"
	"runtime/debug"
	"strings"
	"testing"

	"castellan/config"
)

// TestChooseTable holds the sizes that are chosen against the memory that there is.
func TestChooseTable(t *testing.T) {
	t.Setenv("CASTELLAN_THREADS", "2")
	cfg, err := config.Load()
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		have   int64 // MiB
		shared bool
		want   int
	}{
		{128, false, 1}, {160, false, 16}, {256, false, 64}, {512, false, 256}, {1 << 20, false, 256},
		{100, false, 1}, // too little for anything: the start will say so
		{256, true, 16}, {1024, true, 64}, {2048, true, 128}, {1 << 20, true, 256},
	} {
		table := chooseTable(&cfg, test.have*mib, test.shared)
		if table != test.want {
			t.Errorf("of %d MiB, shared %v: a table of %d, want %d", test.have, test.shared, table, test.want)
		}
		with := cfg
		with.HashMB = config.Int(table)
		if _, all := memoryNeeds(&with); test.have > 100 && all > test.have*mib {
			t.Errorf("with a table of %d all take %d of %d MiB", table, all/mib, test.have)
		}
	}
}

// TestFitMemory starts with little memory, by the setting, and holds the collector's limit to it.
func TestFitMemory(t *testing.T) {
	before := debug.SetMemoryLimit(-1)
	defer debug.SetMemoryLimit(before)
	t.Setenv("CASTELLAN_THREADS", "2")
	t.Setenv("CASTELLAN_MEMORY_MB", "160")
	cfg, err := config.Load()
	if err != nil {
		t.Fatal(err)
	}
	if err := fitMemory(&cfg, slog.New(slog.DiscardHandler)); err != nil || cfg.HashMB != 16 {
		t.Errorf("160 MiB: a table of %v (%v)", cfg.HashMB, err)
	}
	if limit := debug.SetMemoryLimit(-1); limit > 160*mib || limit < 64*mib {
		t.Errorf("the collector may take %d MiB", limit/mib)
	}
	cfg.MemoryMB = 64
	if err := fitMemory(&cfg, slog.New(slog.DiscardHandler)); err == nil {
		t.Error("64 MiB are enough for anything")
	}
	cfg.HashMB, cfg.MaxGames, cfg.Threads = 1, 1, 1
	if err := fitMemory(&cfg, slog.New(slog.DiscardHandler)); err == nil || strings.Contains(err.Error(), "lower") || !strings.Contains(err.Error(), "give it more memory") {
		t.Errorf("all is as small as can be: %v", err)
	}
	cfg.MaxGames = 2
	if err := fitMemory(&cfg, slog.New(slog.DiscardHandler)); err == nil || !strings.Contains(err.Error(), "set CASTELLAN_MAX_GAMES lower") {
		t.Errorf("one game can be left out: %v", err)
	}
	cfg.MemoryMB, cfg.HashMB = 160, 128 // set: not touched, and too much
	if err := fitMemory(&cfg, slog.New(slog.DiscardHandler)); err == nil || cfg.HashMB != 128 {
		t.Errorf("a table that was set became %v (%v)", cfg.HashMB, err)
	}
}
