package tablebase

import (
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

// BenchmarkProbeWDLHot asks tables that are in memory.
func BenchmarkProbeWDLHot(b *testing.B) {
	directory := allTables(b)
	tables := open(b, directory)
	positions := benchPositions(b, directory+"/probes.jsonl")
	for i := range b.N {
		tables.ProbeWDL(&positions[i%len(positions)])
	}
}

// BenchmarkProbeWDLParallel asks from all processors at once.
func BenchmarkProbeWDLParallel(b *testing.B) {
	directory := allTables(b)
	tables := open(b, directory)
	positions := benchPositions(b, directory+"/probes.jsonl")
	b.RunParallel(func(pb *testing.PB) {
		for i := 0; pb.Next(); i++ {
			tables.ProbeWDL(&positions[i%len(positions)])
		}
	})
}

// BenchmarkProbeWDLCold asks each table for the first time: it is mapped and its head read.
func BenchmarkProbeWDLCold(b *testing.B) {
	directory := allTables(b)
	p := position(b, "8/8/4k3/8/8/2KQ4/8/6r1 w - - 0 1")
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
	directory := allTables(b)
	tables := open(b, directory)
	positions := benchPositions(b, directory+"/probes.jsonl")
	for i := range b.N {
		tables.ProbeDTZ(&positions[i%len(positions)])
	}
}
