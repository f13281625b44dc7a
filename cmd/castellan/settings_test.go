package main

import (
	"testing"

	"castellan/config"
)

// TestNothingHasChangedByDefault holds the settings without an environment against their defaults.
func TestNothingHasChangedByDefault(t *testing.T) {
	cfg, err := config.Load()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range statusSettings(&cfg) {
		if s.Changed {
			t.Errorf("%s=%s is shown as changed", s.Variable, s.Value)
		}
	}
	t.Setenv("CASTELLAN_ACCEPT_SPEEDS", "blitz")
	t.Setenv("CASTELLAN_MAX_GAMES", "7")
	if cfg, err = config.Load(); err != nil {
		t.Fatal(err)
	}
	changed := 0
	for _, s := range statusSettings(&cfg) {
		if s.Changed {
			changed++
			if s.Variable != "CASTELLAN_ACCEPT_SPEEDS" && s.Variable != "CASTELLAN_MAX_GAMES" {
				t.Errorf("%s=%s is shown as changed", s.Variable, s.Value)
			}
		}
	}
	if changed != 2 {
		t.Errorf("%d settings are shown as changed, want 2", changed)
	}
}
