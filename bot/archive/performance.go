package archive

import "math"

// Performance is the rating that the results speak for.
type Performance struct {
	Rating  int     `json:"rating"`
	Games   int     `json:"games"`   // against opponents with a rating
	Average float64 `json:"average"` // of their ratings
	Score   float64 `json:"score"`   // points for each game, 0 to 1
	// Bound is "at least" or "at most" when all games were won or lost, else "".
	Bound string `json:"bound,omitempty"`
}

// Opponent is one game for a performance.
type Opponent struct {
	Rating int
	Score  float64 // 1 won, 0.5 drawn, 0 lost
}

// perfectDistance stands for the infinite distance of a perfect score, as in the table of FIDE's Rating Regulations (Handbook
// B.02, 8.1.1).
const perfectDistance = 800

// Perform returns the performance, nil without games.
//
// It is the rating R with which the expected score is the one that was made, where against an opponent of rating Ri
//
//	E = 1 / (1 + 10^((Ri - R) / 400))
//
// is expected (A. E. Elo, "The Rating of Chessplayers, Past and Present", 1978, the logistic form). It is found for all
// games together, not from the average opponent, so that wins over much weaker ones do not pull it down.
func Perform(games []Opponent) *Performance {
	if len(games) == 0 {
		return nil
	}
	p := &Performance{Games: len(games)}
	low, high := math.Inf(1), math.Inf(-1)
	points := 0.0
	for _, g := range games {
		p.Average += float64(g.Rating) / float64(len(games))
		points += g.Score
		low, high = min(low, float64(g.Rating)), max(high, float64(g.Rating))
	}
	p.Score = points / float64(len(games))
	switch p.Score {
	case 1:
		p.Bound, p.Rating = "at least", int(math.Round(p.Average))+perfectDistance
		return p
	case 0:
		p.Bound, p.Rating = "at most", int(math.Round(p.Average))-perfectDistance
		return p
	}
	// Beyond these bounds the expectation is nearer to 0 or 1 than one draw in all games can bring it.
	reach := 400*math.Log10(2*float64(len(games))) + 400
	low, high = low-reach, high+reach
	for high-low > 0.01 {
		middle := (low + high) / 2
		expected := 0.0
		for _, g := range games {
			expected += 1 / (1 + math.Pow(10, (float64(g.Rating)-middle)/400))
		}
		if expected < points {
			low = middle
		} else {
			high = middle
		}
	}
	p.Rating = int(math.Round((low + high) / 2))
	return p
}
