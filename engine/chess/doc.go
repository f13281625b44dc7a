// Package chess is the rules of chess and Chess960: positions, legal moves, notations, the history of a game and its end.
//
// # A tour
//
// A [Position] is a small value: men, side to move, castling rights, en passant and two counters. It comes from [StartPosition],
// [Chess960Start] or [ParseFEN]. [Position.LegalMoves] fills a [MoveList] with its legal moves, and [Position.Play] returns the
// position after one of them; there is nothing to take back, and nothing is allocated.
//
// A [Move] is sixteen bits that mean something in a position. [Position.ParseUCI] and [Position.ParseSAN] read one from text,
// [Position.UCI] and [Position.SAN] write it. [Position.IsLegal] may be asked about any sixteen bits.
//
// A [Game] is a start, its moves and every position between. It counts repetitions, and [Game.Outcome] says whether and how it has
// ended, by a [Ruleset]: FIDE's, Lichess's, or Lichess's with a bot in the game. Draws that have to be claimed are apart, in
// [Game.Claims]. What the board does not know, time and the players' will, comes from [Position.OnTime], [Resigned] and [Agreed].
//
// [NewPGNReader] reads the games of a PGN file as a stream and [WritePGN] writes one; [ParseEPD] reads a line of a test suite.
//
// # Errors
//
// Text from outside never panics and is never taken for something it does not say. A [SyntaxError] is text that is not of its
// notation, an [IllegalMoveError] a move that the position does not have, an [AmbiguousMoveError] a SAN that fits several, and a
// [PGNError] wraps one of them with its line and column.
//
// # How it works
//
// Men are kept as bitboards, sets of squares in 64 bits, by colour and by kind, and once more by square. What sliders attack is
// looked up with magic bitboards. Before any move is generated, constrain works out what legality asks of all of them: where a
// man may land (everywhere; in check on the checker or in its way; in double check nowhere) and which men are pinned. So every
// move generated is legal and none has to be tried out but en passant. The checkers are worked out by Play. Repetition compares
// Zobrist keys that hold exactly what the Laws compare. docs/rules.md states the rules one by one, and docs/speed.md has the
// figures.
package chess
