package lichess

// Exploration is what the opening explorer knows about a position.
type Exploration struct {
	White int            `json:"white"` // games won by White
	Draws int            `json:"draws"`
	Black int            `json:"black"`
	Moves []ExplorerMove `json:"moves"` // the most played first
}

// ExplorerMove is a move that was played in a position, and how those games ended.
type ExplorerMove struct {
	UCI           string `json:"uci"` // castling as king takes rook
	SAN           string `json:"san"`
	AverageRating int    `json:"averageRating"`
	White         int    `json:"white"`
	Draws         int    `json:"draws"`
	Black         int    `json:"black"`
}

// CloudEval is an evaluation that somebody's engine has left with Lichess.
type CloudEval struct {
	FEN    string    `json:"fen"`
	KNodes int       `json:"knodes"` // thousands of positions looked at
	Depth  int       `json:"depth"`  // in plies
	PVs    []CloudPV `json:"pvs"`    // the best first
}

// CloudPV is a line of play. One of CP and Mate is set, both from White's point of view.
type CloudPV struct {
	Moves string `json:"moves"` // UCI, separated by spaces, castling as king takes rook
	CP    *int   `json:"cp,omitempty"`
	Mate  *int   `json:"mate,omitempty"` // in moves
}

// Category is a result by endgame tables.
type Category string

// The categories, for the side to move. A cursed win and a blessed loss are draws by the 50-move rule; with the two of Syzygy the
// rule may or may not come in time, since distances are rounded; with the maybe ones nobody knows.
const (
	CategoryWin         Category = "win"
	CategorySyzygyWin   Category = "syzygy-win"
	CategoryMaybeWin    Category = "maybe-win"
	CategoryCursedWin   Category = "cursed-win"
	CategoryDraw        Category = "draw"
	CategoryBlessedLoss Category = "blessed-loss"
	CategoryMaybeLoss   Category = "maybe-loss"
	CategorySyzygyLoss  Category = "syzygy-loss"
	CategoryLoss        Category = "loss"
	CategoryUnknown     Category = "unknown"
)

// Endgame is what endgame tables say about a position. DTZ is the distance to the next capture or pawn move in plies, as rounded by
// Syzygy, positive when the side to move wins; DTM is that to mate. What is not known is nil.
type Endgame struct {
	Checkmate            bool          `json:"checkmate"`
	Stalemate            bool          `json:"stalemate"`
	InsufficientMaterial bool          `json:"insufficient_material"`
	Category             Category      `json:"category"`
	DTZ                  *int          `json:"dtz"`
	PreciseDTZ           *int          `json:"precise_dtz"`
	DTM                  *int          `json:"dtm"`
	Moves                []EndgameMove `json:"moves"` // the best first
}

// EndgameMove is a legal move and the position after it, from the point of view of the opponent, who is to move then.
type EndgameMove struct {
	UCI                  string   `json:"uci"`
	SAN                  string   `json:"san"`
	Zeroing              bool     `json:"zeroing"` // a capture or pawn move
	Checkmate            bool     `json:"checkmate"`
	Stalemate            bool     `json:"stalemate"`
	InsufficientMaterial bool     `json:"insufficient_material"`
	Category             Category `json:"category"`
	DTZ                  *int     `json:"dtz"`
	PreciseDTZ           *int     `json:"precise_dtz"`
	DTM                  *int     `json:"dtm"`
}
