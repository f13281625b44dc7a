package tablebase

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"castellan/engine/chess"
)

// answer is a position with what another program says about it.
type answer struct {
	FEN string `json:"fen"`
	WDL WDL    `json:"wdl"`
	DTZ int    `json:"dtz"`
}

func readAnswers(t testing.TB, path string) []answer {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var answers []answer
	for lines := bufio.NewScanner(file); lines.Scan(); {
		var a answer
		if err := json.Unmarshal(lines.Bytes(), &a); err != nil {
			t.Fatal(err)
		}
		answers = append(answers, a)
	}
	if len(answers) == 0 {
		t.Fatalf("%s has no answers", path)
	}
	return answers
}

func position(t testing.TB, fen string) chess.Position {
	t.Helper()
	p, err := chess.ParseFEN(fen)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func open(t testing.TB, directories ...string) *Tables {
	t.Helper()
	tables, err := Open(directories)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := tables.Faults(); err != nil {
			t.Error(err)
		}
		if err := tables.Close(); err != nil {
			t.Error(err)
		}
	})
	return tables
}

const smallTables = "testdata/tables"

// allAnswers are what is said of positions in all tables of three and four men, in the folder of these.
const allAnswers = "probes.jsonl"

// findAllTables returns the folder with all tables of three and four men, SYZYGY_DIR; ok is false when they are not there.
func findAllTables() (directory string, ok bool) {
	directory = os.Getenv("SYZYGY_DIR")
	if directory == "" {
		directory = filepath.Join("..", "..", "..", "shared", "syzygy")
	}
	found, _ := filepath.Glob(filepath.Join(directory, "*.rtbw"))
	return directory, len(found) >= 35
}

// allTables returns the folder with all tables of three and four men, or skips the test.
func allTables(t testing.TB) string {
	t.Helper()
	directory, ok := findAllTables()
	if !ok {
		t.Skipf("there are not all 35 tables of three and four men in %s: SYZYGY_DIR names another folder", directory)
	}
	return directory
}

func TestAnswers(t *testing.T) {
	checkAnswers(t, open(t, smallTables), readAnswers(t, "testdata/answers.jsonl"))
}

func TestAllAnswers(t *testing.T) {
	directory := allTables(t)
	path := filepath.Join(directory, allAnswers)
	if _, err := os.Stat(path); err != nil {
		t.Skipf("there is nothing to compare the tables with: %v", err)
	}
	checkAnswers(t, open(t, directory), readAnswers(t, path))
}

func checkAnswers(t *testing.T, tables *Tables, answers []answer) {
	for _, a := range answers {
		p := position(t, a.FEN)
		if w, ok := tables.ProbeWDL(&p); !ok || w != a.WDL {
			t.Errorf("%s: %v, %v; want %v", a.FEN, w, ok, a.WDL)
		}
		if plies, ok := tables.ProbeDTZ(&p); !ok || plies != a.DTZ {
			t.Errorf("%s: distance %d, %v; want %d", a.FEN, plies, ok, a.DTZ)
		}
	}
	t.Logf("%d answers", len(answers))
}
