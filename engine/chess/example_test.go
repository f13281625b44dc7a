package chess_test

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"castellan/engine/chess"
)

// Generate the legal moves of a position and play one.
func Example() {
	p := chess.StartPosition()
	var moves chess.MoveList
	p.LegalMoves(&moves)
	fmt.Println(moves.Len(), "legal moves")

	m, err := p.ParseSAN("e4")
	if err != nil {
		fmt.Println(err)
		return
	}
	next := p.Play(m)
	fmt.Println(next.FEN())
	fmt.Print(next.Diagram())
	// Output:
	// 20 legal moves
	// rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1
	// 8  r n b q k b n r
	// 7  p p p p p p p p
	// 6  . . . . . . . .
	// 5  . . . . . . . .
	// 4  . . . . P . . .
	// 3  . . . . . . . .
	// 2  P P P P . P P P
	// 1  R N B Q K B N R
	//
	//    a b c d e f g h    Black to move
}

// Ask a game how it stands.
func ExampleGame_Outcome() {
	g := chess.NewGame(chess.StartPosition(), chess.FIDE)
	for _, san := range []string{"f3", "e5", "g4", "Qh4#"} {
		fmt.Println(g.Outcome())
		if err := g.PlaySAN(san); err != nil {
			fmt.Println(err)
		}
	}
	fmt.Println(g.Outcome())
	// Output:
	// * (ongoing)
	// * (ongoing)
	// * (ongoing)
	// * (ongoing)
	// 0-1 (checkmate)
}

// What FIDE lets a player claim, Lichess gives to a bot at once.
func ExampleRuleset() {
	for _, rules := range []chess.Ruleset{chess.FIDE, chess.LichessBot} {
		g := chess.NewGame(chess.StartPosition(), rules)
		for _, uci := range []string{"g1f3", "g8f6", "f3g1", "f6g8", "g1f3", "g8f6", "f3g1", "f6g8"} {
			if err := g.PlayUCI(uci); err != nil {
				fmt.Println(err)
			}
		}
		threefold, _ := g.Claims()
		fmt.Println(g.Repetitions(), threefold, g.Outcome())
	}
	// Output:
	// 3 true * (ongoing)
	// 3 false 1/2-1/2 (threefold repetition)
}

// Read and write a FEN. The en passant square is kept only when such a capture is legal.
func ExampleParseFEN() {
	p, err := chess.ParseFEN("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1")
	fmt.Println(p.FEN(), err)

	_, err = chess.ParseFEN("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQ1BNR w kq - 0 1")
	fmt.Println(err)
	// Output:
	// rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1 <nil>
	// FEN board "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQ1BNR": has 0 white kings instead of one
}

// Read a move in either notation and write it in the other.
func ExamplePosition_ParseSAN() {
	p, err := chess.ParseFEN("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1")
	if err != nil {
		fmt.Println(err)
		return
	}
	castling, err := p.ParseSAN("0-0")
	fmt.Println(p.SAN(castling), p.UCI(castling, false), p.UCI(castling, true), err)

	_, err = p.ParseSAN("Kg1")
	var illegal *chess.IllegalMoveError
	fmt.Println(errors.As(err, &illegal), err)
	// Output:
	// O-O e1g1 e1h1 <nil>
	// true move "Kg1" is not legal in r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1
}

// Set up Chess960 by number.
func ExampleChess960Start() {
	p, err := chess.Chess960Start(0)
	fmt.Println(p.FEN(), err)
	fmt.Println(p.ShredderFEN())
	// Output:
	// bbqnnrkr/pppppppp/8/8/8/8/PPPPPPPP/BBQNNRKR w KQkq - 0 1 <nil>
	// bbqnnrkr/pppppppp/8/8/8/8/PPPPPPPP/BBQNNRKR w HFhf - 0 1
}

// Read the games of a PGN one by one. After a fault the reading goes on with the next game.
func ExamplePGNReader() {
	r := chess.NewPGNReader(strings.NewReader(`
[White "Anna"]
[Black "Boris"]

1. e4 {[%clk 0:03:00] the king's pawn} e5 2. Nf3! (2. f4 exf4) 2... Nc6 1-0

1. d4 d5
2. Ke3 *
`))
	for {
		g, err := r.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		fmt.Println(g.Tag("White"), g.Game.Ply(), g.Result, err)
		if first := g.NoteAt(1); first.Clock != nil {
			fmt.Println(*first.Clock, first.Comment)
		}
	}
	// Output:
	// Anna 4 1-0 <nil>
	// 3m0s the king's pawn
	// ? 2 * PGN line 8, column 4: move "Ke3" is not legal in rnbqkbnr/ppp1pppp/8/3p4/3P4/8/PPP1PPPP/RNBQKBNR w KQkq - 0 2
}

// Write a game as PGN.
func ExampleWritePGN() {
	g := chess.NewGame(chess.StartPosition(), chess.FIDE)
	for _, san := range []string{"e4", "e5", "Nf3"} {
		if err := g.PlaySAN(san); err != nil {
			fmt.Println(err)
		}
	}
	err := chess.WritePGN(os.Stdout, &chess.PGNGame{
		Tags:   []chess.Tag{{Name: "White", Value: "Anna"}, {Name: "Black", Value: "Boris"}},
		Game:   g,
		Notes:  []chess.Note{{}, {Clock: new(3 * time.Minute)}, {Eval: &chess.Eval{Value: 25}}},
		Result: chess.Resigned(chess.Black).Result(),
	})
	if err != nil {
		fmt.Println(err)
	}
	// Output:
	// [Event "?"]
	// [Site "?"]
	// [Date "????.??.??"]
	// [Round "?"]
	// [White "Anna"]
	// [Black "Boris"]
	// [Result "1-0"]
	//
	// 1. e4 { [%clk 0:03:00] } 1... e5 { [%eval 0.25] } 2. Nf3 1-0
}

// Read a line of a test suite.
func ExampleParseEPD() {
	e, err := chess.ParseEPD(`6k1/5ppp/8/8/8/8/8/R3K3 w Q - bm Ra8#; id "back rank";`)
	if err != nil {
		fmt.Println(err)
		return
	}
	best, _ := e.Operands("bm")
	m, err := e.Position.ParseSAN(best[0])
	fmt.Println(m, err)
	// Output: a1a8 <nil>
}

// Count move sequences, the field's measure for a move generator.
func ExamplePerft() {
	p := chess.StartPosition()
	for depth := 1; depth <= 4; depth++ {
		fmt.Println(depth, chess.Perft(&p, depth))
	}
	// Output:
	// 1 20
	// 2 400
	// 3 8902
	// 4 197281
}

// A player whose time runs out does not lose to a side that cannot mate.
func ExamplePosition_OnTime() {
	for _, fen := range []string{"4k3/8/8/8/8/8/8/R3K3 b - - 0 1", "4k3/8/8/8/8/8/8/N3K3 b - - 0 1"} {
		p, err := chess.ParseFEN(fen)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(p.OnTime(chess.Black))
	}
	// Output:
	// 1-0 (time forfeit)
	// 1/2-1/2 (time forfeit)
}
