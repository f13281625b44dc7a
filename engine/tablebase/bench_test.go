package tablebase

import (
	"os"
	"path/filepath"
	"testing"

	"castellan/engine/chess"
)

func benchPositions(b *testing.B, path string) []chess.Position {
	var positions []chess.Position
	for _, a := range readAnswers(b, path) {
		positions = append(positions, position(b, a.FEN))
	}
	b.ResetTimer()
	b.ReportAllocs()
	return positions
}

// benchTables returns a folder of tables, and the file of answers whose positions are asked for: all tables of three and four men where
// they are, else the small ones, and says so.
func benchTables(b *testing.B) (directory, answers string) {
	directory, ok := findAllTables()
	if answers = filepath.Join(directory, allAnswers); ok {
		_, err := os.Stat(answers)
		ok = err == nil
	}
	if ok {
		return directory, answers
	}
	if b.N == 1 { // the first of the runs
		b.Logf("the small tables alone: %s has not all of three and four men with %s; SYZYGY_DIR names another folder", directory, allAnswers)
	}
	return smallTables, "testdata/answers.jsonl"
}

// BenchmarkProbeWDLHot asks tables that are in memory.
func BenchmarkProbeWDLHot(b *testing.B) {
	directory, answers := benchTables(b)
	tables := open(b, directory)
	positions := benchPositions(b, answers)
	for i := range b.N {
		tables.ProbeWDL(&positions[i%len(positions)])
	}
}

// BenchmarkProbeWDLParallel asks from all processors at once.
func BenchmarkProbeWDLParallel(b *testing.B) {
	directory, answers := benchTables(b)
	tables := open(b, directory)
	positions := benchPositions(b, answers)
	b.RunParallel(func(pb *testing.PB) {
		for i := 0; pb.Next(); i++ {
			tables.ProbeWDL(&positions[i%len(positions)])
		}
	})
}

// BenchmarkProbeWDLCold asks each table for the first time: it is mapped and its head read.
func BenchmarkProbeWDLCold(b *testing.B) {
	directory, _ := benchTables(b)
	p := position(b, "8/8/4k3/8/8/2KQ4/8/8 w - - 0 1")
	b.ReportAllocs()
	for range b.N {
		b.StopTimer()
		tables, err := Open([]string{directory})
		if err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
		tables.ProbeWDL(&p)
		b.StopTimer()
		tables.Close()
	}
}

func BenchmarkProbeDTZHot(b *testing.B) {
	directory, answers := benchTables(b)
	tables := open(b, directory)
	positions := benchPositions(b, answers)
	for i := range b.N {
		tables.ProbeDTZ(&positions[i%len(positions)])
	}
}
