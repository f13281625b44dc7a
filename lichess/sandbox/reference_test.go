package sandbox_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"castellan/engine/tablebase"
	"castellan/lichess"
	"castellan/lichess/sandbox"
)

const openingFEN = "rnbqkbnr/pp1ppppp/8/2p5/4P3/8/PPPP1PPP/RNBQKBNR w KQkq c6 0 2"

func smallTables(t *testing.T) *tablebase.Tables {
	t.Helper()
	tables, err := tablebase.Open([]string{"../../engine/tablebase/testdata/tables"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { tables.Close() })
	return tables
}

// TestReferenceKeepsToTheDescription makes every look-up of a real server and checks request and reply on their way.
func TestReferenceKeepsToTheDescription(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	w := newWorld(t, sandbox.Options{Tables: smallTables(t)}, sandbox.Account{Name: "Reader", Token: "lip_xReader", Scopes: []string{}})
	address := checkedProxy(t, w.Server, nil)
	r, err := lichess.NewReference(lichess.ReferenceOptions{
		ExplorerURL: address, CloudURL: address, TablebaseURL: address, ExplorerToken: "lip_xReader",
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.Close)

	if err := w.SetOpening(openingFEN,
		lichess.ExplorerMove{UCI: "g1f3", AverageRating: 2500, White: 60, Draws: 50, Black: 40}, lichess.ExplorerMove{UCI: "b1c3", White: 5, Draws: 1, Black: 3}); err != nil {
		t.Fatal(err)
	}
	for _, from := range []lichess.Database{lichess.DatabaseMasters, lichess.DatabaseLichess} {
		for _, variant := range []lichess.VariantKey{lichess.VariantStandard, lichess.VariantChess960} {
			e, err := r.Explore(ctx, from, variant, openingFEN)
			if err != nil || e.White != 65 || len(e.Moves) != 2 || e.Moves[0].SAN != "Nf3" || e.Moves[0].Draws != 50 {
				t.Errorf("%s: %+v, %v", from, e, err)
			}
		}
		if e, err := r.Explore(ctx, from, lichess.VariantStandard, "8/8/8/4k3/8/8/8/3QK3 w - - 0 1"); err != nil || len(e.Moves) != 0 || e.White != 0 {
			t.Errorf("%s: %+v, %v", from, e, err)
		}
	}

	cp, mate := 34, -3
	for _, pv := range []lichess.CloudPV{{Moves: "g1f3 d7d6 e1h1", CP: &cp}, {Moves: "g1f3", Mate: &mate}} {
		if err := w.SetEvaluation(openingFEN, lichess.CloudEval{KNodes: 1000, Depth: 40, PVs: []lichess.CloudPV{pv}}); err != nil {
			t.Fatal(err)
		}
		e, err := r.Evaluate(ctx, lichess.VariantStandard, openingFEN)
		if err != nil || e.Depth != 40 || len(e.PVs) != 1 || e.PVs[0].Moves != pv.Moves || (e.PVs[0].CP == nil) != (pv.CP == nil) {
			t.Errorf("%+v, %v", e, err)
		}
	}
	if _, err := r.Evaluate(ctx, lichess.VariantChess960, "8/8/8/4k3/8/8/8/3QK3 w - - 0 1"); !errors.Is(err, lichess.ErrNoEvaluation) {
		t.Errorf("got %v", err)
	}

	for _, test := range []struct {
		fen      string
		category lichess.Category
		best     string
		move     lichess.Category
	}{
		{"8/8/8/8/8/4k3/4p3/4K3 w - - 0 1", lichess.CategoryDraw, "", ""},                            // stalemate
		{"7k/8/5KQ1/8/8/8/8/8 w - - 0 1", lichess.CategoryWin, "g6g7", lichess.CategoryLoss},         // mate
		{"8/8/8/4k3/8/8/8/3QK3 w - - 99 80", lichess.CategoryCursedWin, "", lichess.CategoryUnknown}, // too late
		{"4k3/8/8/8/8/8/8/4K3 w - - 0 1", lichess.CategoryDraw, "", ""},
		{"8/8/8/4k3/8/8/8/2NQK3 w - - 0 1", lichess.CategoryUnknown, "", lichess.CategoryUnknown}, // no such table
		{"8/8/8/3k4/8/8/1q6/4K3 w - - 0 1", lichess.CategoryLoss, "", ""},
	} {
		e, err := r.Endgame(ctx, test.fen)
		if err != nil || e.Category != test.category {
			t.Errorf("%s: %+v, %v", test.fen, e, err)
			continue
		}
		if test.best != "" && (e.Moves[0].UCI != test.best || e.Moves[0].Category != test.move || !e.Moves[0].Checkmate) {
			t.Errorf("%s: best is %+v", test.fen, e.Moves[0])
		}
	}
	zero := 0
	told := lichess.Endgame{Category: lichess.CategoryMaybeWin, DTZ: &zero, DTM: &zero, PreciseDTZ: &zero,
		Moves: []lichess.EndgameMove{{UCI: "d1d5", Category: lichess.CategoryMaybeLoss}}}
	if err := w.SetEndgame("8/8/8/4k3/8/8/8/3QK3 w - - 0 1", told); err != nil {
		t.Fatal(err)
	}
	if e, err := r.Endgame(ctx, "8/8/8/4k3/8/8/8/3QK3 w - - 7 9"); err != nil || e.Category != told.Category || len(e.Moves) != 1 || e.Moves[0].SAN != "Qd5+" {
		t.Errorf("%+v, %v", e, err)
	}
}

func TestLookUpsThatMakeNoSense(t *testing.T) {
	w := newWorld(t, sandbox.Options{})
	for path, want := range map[string]int{
		"/standard":              400,
		"/standard?fen=nonsense": 400,
		"/standard?fen=4k3/8/8/8/8/8/8/4K3_w_-_-_0_1": 200, // underscores are spaces
		"/api/cloud-eval": 400,
		"/lichess?fen=4k3/8/8/8/8/8/8/4K3%20w%20-%20-%200%201": 401,
	} {
		if r := w.get("", path); r.code != want {
			t.Errorf("%s: %d %s", path, r.code, r.body)
		}
	}
	if r := w.get("mary", "/masters?fen=4k3/8/8/8/8/8/8/4K3%20w%20-%20-%200%201&play=e1e2,e8e1"); r.code != 400 {
		t.Errorf("an illegal move: %d %s", r.code, r.body)
	}
	if r := w.get("mary", "/masters?fen=4k3/8/8/8/8/8/8/4K3%20w%20-%20-%200%201&play=e1e2,e8e7"); r.code != 200 {
		t.Errorf("moves: %d %s", r.code, r.body)
	}
	for _, err := range []error{w.SetOpening("x"), w.SetEvaluation("x", lichess.CloudEval{}), w.SetEndgame("x", lichess.Endgame{})} {
		if err == nil {
			t.Error("a position that is none was taken")
		}
	}
}
