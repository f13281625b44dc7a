package eval

import "castellan/engine/chess"

// All weights are in centipawns, as pairs for the middle game and the
// endgame. They come from reasoning and rounding, not from another engine.

// material is indexed by piece type. A bishop is worth slightly more than a
// knight, the pair bonus aside; rooks and pawns gain as the board empties.
var material = [7]score{
	chess.Pawn:   s(85, 115),
	chess.Knight: s(330, 310),
	chess.Bishop: s(345, 325),
	chess.Rook:   s(470, 550),
	chess.Queen:  s(1000, 1020),
}

// phaseWeight says how much a piece keeps the game in its middle: 24 with
// all pieces on the board, 0 with pawns and kings only.
var phaseWeight = [7]int{chess.Knight: 1, chess.Bishop: 1, chess.Rook: 2, chess.Queen: 4}

const fullPhase = 24

// mobility is per square above or below the usual number for the piece.
var mobility = [7]struct {
	perSquare score
	usual     int
}{
	chess.Knight: {s(5, 5), 4},
	chess.Bishop: {s(5, 5), 6},
	chess.Rook:   {s(3, 5), 6},
	chess.Queen:  {s(1, 4), 12},
}

var (
	bishopPair   = s(28, 50)
	rookOpen     = s(28, 10) // no pawn on the file
	rookHalfOpen = s(12, 8)  // no own pawn on the file
	outpost      = s(22, 12) // minor piece guarded by a pawn that no pawn can drive off

	isolatedPawn  = s(-12, -14)
	doubledPawn   = s(-6, -18)
	backwardPawn  = s(-8, -8)
	connectedPawn = s(7, 6)

	pawnThreat  = s(50, 38) // our pawn attacks a piece
	minorThreat = s(30, 25) // our minor piece attacks a rook or queen
	hanging     = s(18, 16) // an attacked piece that nothing guards

	tempo = s(18, 12)
)

// passedPawn is indexed by the rank seen from the pawn's own side.
var passedPawn = [8]score{1: s(0, 8), 2: s(2, 14), 3: s(8, 32), 4: s(25, 62), 5: s(50, 110), 6: s(80, 175)}

// passedFree is added when the square before a passed pawn is empty.
var passedFree = [8]score{3: s(2, 8), 4: s(5, 18), 5: s(10, 38), 6: s(15, 65)}

// Endgame value of a king's step nearer to the square before a passed pawn
// of the given rank, for the opponent's and for our own king.
var (
	passedTheirKing = [8]int{3: 4, 4: 9, 5: 15, 6: 18}
	passedOurKing   = [8]int{3: 2, 4: 5, 5: 7, 6: 7}
)

// King safety. Each attacker of the squares around the king adds its weight,
// each attacked square and safe check adds units; the danger grows with the
// square of the sum.
var (
	kingAttacker  = [7]int{chess.Knight: 10, chess.Bishop: 9, chess.Rook: 13, chess.Queen: 16}
	safeCheck     = [7]int{chess.Knight: 14, chess.Bishop: 9, chess.Rook: 15, chess.Queen: 13}
	zoneAttack    = 3
	noQueen       = 30
	shelterGap    = 6
	dangerDivisor = 26
	dangerMax     = 450
)

// shelter is the middle-game value of the nearest own pawn before the king on
// a file, by its distance in ranks; index 0 is for none. Storm is the cost of
// an enemy pawn on that file by its distance.
var (
	shelter = [8]int{-24, 20, 12, 2, -6, -12, -16, -20}
	storm   = [8]int{0, 4, 22, 14, 6, 2, 0, 0}
)
