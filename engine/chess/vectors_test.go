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

// vectorLines calls a function for every line of a JSON Lines file, with a name that says file, line and id, as in
// "legal.jsonl:12:c011".
func vectorLines(t testing.TB, file string, do func(name string, line []byte)) {
	t.Helper()
	scanner := bufio.NewScanner(bytes.NewReader(readVectors(t, file)))
	scanner.Buffer(nil, 1<<20)
	n := 0
	for ; scanner.Scan(); n++ {
		var id struct{ ID, File string }
		if err := json.Unmarshal(scanner.Bytes(), &id); err != nil {
			t.Fatalf("%s:%d: %v", file, n+1, err)
		}
		do(fmt.Sprintf("%s:%d:%s%s", file, n+1, id.ID, id.File), scanner.Bytes())
	}
	if err := scanner.Err(); err != nil {
		t.Fatal(err)
	}
	if n == 0 {
		t.Fatalf("%s has no vectors", file)
	}
}

// decodeVectors returns the vectors of a JSON Lines file.
func decodeVectors[V any](t testing.TB, file string) (vectors []V) {
	t.Helper()
	vectorLines(t, file, func(name string, line []byte) {
		var v V
		if err := json.Unmarshal(line, &v); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		vectors = append(vectors, v)
	})
	return vectors
}

// forEachVector runs a subtest for every vector of a JSON Lines file; its name says which line it is.
func forEachVector[V any](t *testing.T, file string, run func(t *testing.T, v V)) {
	t.Helper()
	vectorLines(t, file, func(name string, line []byte) {
		var v V
		if err := json.Unmarshal(line, &v); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		t.Run(name, func(t *testing.T) { run(t, v) })
	})
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

// readFENOrFail is parseFENOrFail for the few vectors whose king could be taken, which ParseFEN refuses.
func readFENOrFail(t testing.TB, fen string) Position {
	t.Helper()
	p, err := readFEN(fen)
	if err != nil {
		t.Fatal(err)
	}
	return p
}
