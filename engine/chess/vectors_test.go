package chess

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// vectorDir holds the rules vectors; its README says what each file is and how it was made.
var vectorDir = filepath.Join("..", "..", "testdata", "rules")

func readVectors(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(vectorDir, name))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// forEachVector decodes every line of a JSON Lines file and runs a subtest for it whose name says file, line and id, as in
// "legal.jsonl:12:c011".
func forEachVector[V any](t *testing.T, file string, run func(t *testing.T, v V)) {
	t.Helper()
	scanner := bufio.NewScanner(bytes.NewReader(readVectors(t, file)))
	scanner.Buffer(nil, 1<<20)
	n := 0
	for line := 1; scanner.Scan(); line++ {
		var id struct{ ID, File string }
		var v V
		if err := json.Unmarshal(scanner.Bytes(), &id); err != nil {
			t.Fatalf("%s:%d: %v", file, line, err)
		}
		if err := json.Unmarshal(scanner.Bytes(), &v); err != nil {
			t.Fatalf("%s:%d: %v", file, line, err)
		}
		t.Run(fmt.Sprintf("%s:%d:%s%s", file, line, id.ID, id.File), func(t *testing.T) { run(t, v) })
		n++
	}
	if err := scanner.Err(); err != nil {
		t.Fatal(err)
	}
	if n == 0 {
		t.Fatalf("%s has no vectors", file)
	}
}

// parseFENOrFail reads a FEN that a test knows to be good.
func parseFENOrFail(t testing.TB, fen string) Position {
	t.Helper()
	p, err := ParseFEN(fen)
	if err != nil {
		t.Fatal(err)
	}
	return p
}
