package chess

import (
	"bufio"
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"testing"
)

// Sizes of the perfts that a test runs; a million nodes take a few milliseconds.
const (
	perftNodesShort = 200_000
	perftNodes      = 200_000_000
)

// TestPerft counts every line of perft.txt, Chess960 included, as deep as the number of nodes allows.
func TestPerft(t *testing.T) {
	limit := uint64(perftNodes)
	if testing.Short() {
		limit = perftNodesShort
	}
	scanner := bufio.NewScanner(bytes.NewReader(readVectors(t, "perft.txt")))
	n := 0
	for line := 1; scanner.Scan(); line++ {
		fields := strings.Split(scanner.Text(), " | ")
		if fields[0] != "standard" && fields[0] != "chess960" {
			continue // comments and variants
		}
		n++
		t.Run(fmt.Sprintf("perft.txt:%d:%s", line, fields[0]), func(t *testing.T) {
			p := parseFENOrFail(t, fields[1])
			for _, count := range strings.Split(fields[2], ";") {
				depth, nodes, _ := strings.Cut(strings.TrimPrefix(count, "D"), " ")
				d, err := strconv.Atoi(depth)
				if err != nil {
					t.Fatal(err)
				}
				want, err := strconv.ParseUint(nodes, 10, 64)
				if err != nil {
					t.Fatal(err)
				}
				if want > limit {
					break
				}
				if got := Perft(&p, d); got != want {
					t.Errorf("perft %d of %s: got %d, want %d", d, fields[1], got, want)
				}
			}
		})
	}
	if n == 0 {
		t.Fatal("perft.txt has no lines")
	}
}

// TestDivide checks that the parts of a perft add up to it, one for each move.
func TestDivide(t *testing.T) {
	p := StartPosition()
	var sum uint64
	seen := map[Move]bool{}
	for _, e := range Divide(&p, 4) {
		sum += e.Nodes
		seen[e.Move] = true
	}
	if sum != 197281 || len(seen) != 20 {
		t.Errorf("%d nodes in %d moves, want 197281 in 20", sum, len(seen))
	}
	if Divide(&p, 0) != nil || Perft(&p, 0) != 1 {
		t.Error("depth 0 is one node and no moves")
	}
}
