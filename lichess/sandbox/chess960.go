package sandbox

import (
	"math/rand/v2"
	"strings"

	"castellan/engine/chess"
)

// chess960FEN draws a start position of Chess960: bishops on both colours, the
// king between the rooks, all else by chance.
func chess960FEN(r *rand.Rand) string {
	var rank [8]byte
	place := func(man byte, free []int) {
		rank[free[r.IntN(len(free))]] = man
	}
	free := func(start, step int) (files []int) {
		for f := start; f < 8; f += step {
			if rank[f] == 0 {
				files = append(files, f)
			}
		}
		return files
	}
	place('b', free(0, 2))
	place('b', free(1, 2))
	place('q', free(0, 1))
	place('n', free(0, 1))
	place('n', free(0, 1))
	for i, f := range free(0, 1) {
		rank[f] = "rkr"[i]
	}
	men := string(rank[:])
	return men + "/pppppppp/8/8/8/8/PPPPPPPP/" + strings.ToUpper(men) + " w KQkq - 0 1"
}

// isChess960Start reports whether a game of Chess960 can start from p.
func isChess960Start(p *chess.Position) bool {
	men, rest, _ := strings.Cut(p.FEN(), "/")
	if len(men) != 8 || rest != "pppppppp/8/8/8/8/PPPPPPPP/"+strings.ToUpper(men)+" w KQkq - 0 1" {
		return false
	}
	bishop1, bishop2 := strings.IndexByte(men, 'b'), strings.LastIndexByte(men, 'b')
	king := strings.IndexByte(men, 'k')
	return strings.Count(men, "b") == 2 && strings.Count(men, "r") == 2 &&
		strings.Count(men, "n") == 2 && strings.Count(men, "q") == 1 && strings.Count(men, "k") == 1 &&
		bishop1%2 != bishop2%2 && strings.IndexByte(men, 'r') < king && king < strings.LastIndexByte(men, 'r')
}
