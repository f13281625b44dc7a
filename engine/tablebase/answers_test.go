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

// allTables returns the directory with all tables of three and four men, or skips the test.
func allTables(t testing.TB) string {
	t.Helper()
	directory := filepath.Join("..", "..", "..", "shared", "syzygy")
	if found, _ := filepath.Glob(filepath.Join(directory, "*.rtbw")); len(found) < 35 {
		t.Skipf("there are not all tables of three and four men in %s", directory)
	}
	return directory
}

func TestAnswers(t *testing.T) {
	checkAnswers(t, open(t, smallTables), readAnswers(t, "testdata/answers.jsonl"))
}

func TestAllAnswers(t *testing.T) {
	directory := allTables(t)
	checkAnswers(t, open(t, directory), readAnswers(t, filepath.Join(directory, "probes.jsonl")))
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
