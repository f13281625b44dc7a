package eval

// term is the index of a weight. A name that stands for several is the first
// of them, and the comment says what is added to it.
type term int

const (
	material    term = 0                  // + kind of man from the pawn on
	pieceSquare      = material + 5       // + 64*kind from the pawn on + square as its side sees it
	tempo            = pieceSquare + 64*6 // for the side to move
	space            = tempo + 1          // for each safe square in the centre of the own half

	knightMobility = space + 1           // + number of squares
	bishopMobility = knightMobility + 9  // + number of squares
	rookMobility   = bishopMobility + 14 // + number of squares
	queenMobility  = rookMobility + 15   // + number of squares

	bishopPair      = queenMobility + 28
	bishopPawns     = bishopPair + 1  // for each own pawn on squares of a bishop's colour
	minorBehindPawn = bishopPawns + 1 // a knight or bishop with a pawn before it
	knightOutpost   = minorBehindPawn + 1
	bishopOutpost   = knightOutpost + 1
	rookOpen        = bishopOutpost + 1 // no pawn on the file
	rookHalfOpen    = rookOpen + 1      // no own pawn on the file
	rookSeventh     = rookHalfOpen + 1  // with the enemy king behind it or pawns on it

	isolatedPawn     = rookSeventh + 1
	isolatedHalfOpen = isolatedPawn + 1 // beside isolatedPawn, with no enemy pawn ahead
	doubledPawn      = isolatedHalfOpen + 1
	backwardPawn     = doubledPawn + 1
	backwardHalfOpen = backwardPawn + 1     // beside backwardPawn, with no enemy pawn ahead
	phalanxPawn      = backwardHalfOpen + 1 // + rank
	supportedPawn    = phalanxPawn + 8      // + rank

	passedPawn      = supportedPawn + 8   // + rank
	passedFree      = passedPawn + 8      // + rank: the square before it is empty
	passedSafe      = passedFree + 8      // + rank: and not attacked
	passedOurKing   = passedSafe + 8      // + rank, for each step from the own king to the square before it
	passedTheirKing = passedOurKing + 8   // + rank, for each step from the enemy king
	unstoppablePawn = passedTheirKing + 8 // no king and no piece comes in time

	shelter      = unstoppablePawn + 1 // + 8*file from the edge + rank of the nearest own pawn before the king, 0 for none
	storm        = shelter + 32        // + distance of the nearest enemy pawn before the king, 0 for none
	blockedStorm = storm + 8           // the same when an own pawn stands right before it

	pawnThreat  = blockedStorm + 8 // + kind attacked from the knight on
	minorThreat = pawnThreat + 4   // + kind attacked from the pawn on; pawns when no pawn guards them
	rookThreat  = minorThreat + 5  // + kind attacked from the pawn on; less than a rook when no pawn guards it
	hanging     = rookThreat + 5   // attacked and guarded by nothing
	pushThreat  = hanging + 1      // a pawn can safely step to where it attacks a piece
	restricted  = pushThreat + 1   // for each square that both attack and the enemy does not hold by a pawn

	termCount = restricted + 1
)

// dangerTerm is the index of a weight in units of danger to a king.
type dangerTerm int

const (
	dangerAttacker dangerTerm = 0                  // + kind from the knight on that attacks squares around the king
	dangerSquare              = dangerAttacker + 4 // for each of these attacks
	dangerWeak                = dangerSquare + 1   // for each such square that the king alone guards
	dangerCheck               = dangerWeak + 1     // + kind from the knight on that can check without loss
	dangerNoQueen             = dangerCheck + 4    // the attacker has no queen
	dangerPawns               = dangerNoQueen + 1  // for each own pawn around the king
	dangerMinor               = dangerPawns + 1    // for each own knight or bishop around the king

	dangerCount = dangerMinor + 1
)

// Group is a run of weights with one meaning, in the order of their indices.
type Group struct {
	Name string
	Len  int
	Row  int // how many to write on a line
}

// Groups lists the weights of the terms.
func Groups() []Group {
	return []Group{
		{"material", 5, 5}, {"pieceSquare", 384, 8}, {"tempo", 1, 1}, {"space", 1, 1},
		{"knightMobility", 9, 9}, {"bishopMobility", 14, 7}, {"rookMobility", 15, 8}, {"queenMobility", 28, 7},
		{"bishopPair", 1, 1}, {"bishopPawns", 1, 1}, {"minorBehindPawn", 1, 1}, {"knightOutpost", 1, 1}, {"bishopOutpost", 1, 1},
		{"rookOpen", 1, 1}, {"rookHalfOpen", 1, 1}, {"rookSeventh", 1, 1},
		{"isolatedPawn", 1, 1}, {"isolatedHalfOpen", 1, 1}, {"doubledPawn", 1, 1}, {"backwardPawn", 1, 1}, {"backwardHalfOpen", 1, 1},
		{"phalanxPawn", 8, 8}, {"supportedPawn", 8, 8},
		{"passedPawn", 8, 8}, {"passedFree", 8, 8}, {"passedSafe", 8, 8}, {"passedOurKing", 8, 8}, {"passedTheirKing", 8, 8},
		{"unstoppablePawn", 1, 1},
		{"shelter", 32, 8}, {"storm", 8, 8}, {"blockedStorm", 8, 8},
		{"pawnThreat", 4, 4}, {"minorThreat", 5, 5}, {"rookThreat", 5, 5}, {"hanging", 1, 1}, {"pushThreat", 1, 1}, {"restricted", 1, 1},
	}
}

// DangerGroups lists the weights of the danger to a king.
func DangerGroups() []Group {
	return []Group{
		{"dangerAttacker", 4, 4}, {"dangerSquare", 1, 1}, {"dangerWeak", 1, 1}, {"dangerCheck", 4, 4},
		{"dangerNoQueen", 1, 1}, {"dangerPawns", 1, 1}, {"dangerMinor", 1, 1},
	}
}
