package main

import (
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"castellan": main})
}

// TestScripts runs the very program against the expectations in testdata/script.
func TestScripts(t *testing.T) {
	tables, err := filepath.Abs("../../engine/tablebase/testdata/tables")
	if err != nil {
		t.Fatal(err)
	}
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script", RequireExplicitExec: true,
		Setup: func(env *testscript.Env) error {
			env.Setenv("TABLES", tables)
			env.Setenv("ROOT", root)
			return nil
		},
	})
}
