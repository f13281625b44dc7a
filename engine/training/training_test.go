package training

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"castellan/engine/chess"
)

// samples are records of the positions of random games.
func samples(t testing.TB, games int) [][]Record {
	t.Helper()
	starts := []string{
		"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
		"r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
		"nrkb1qrb/pppppppp/2n5/8/8/2N5/PPPPPPPP/1RKBNQRB w GBgb - 0 1",
		"8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
	}
	random := rand.New(rand.NewPCG(1, 2))
	var all [][]Record
	for i := range games {
		p, err := chess.ParseFEN(starts[i%len(starts)])
		if err != nil {
			t.Fatal(err)
		}
		var game []Record
		for ply := range 60 {
			r := NewRecord(&p, random.IntN(4000)-2000, ply, ply%3 == 0)
			r.SetResult(Result(i % 3))
			game = append(game, r)
			var list chess.MoveList
			p.LegalMoves(&list)
			if list.Len() == 0 {
				break
			}
			p = p.Play(list.At(random.IntN(list.Len())))
		}
		all = append(all, game)
	}
	return all
}

func file(t testing.TB, games [][]Record) []byte {
	t.Helper()
	var b bytes.Buffer
	w, err := NewWriter(&b)
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range games {
		if err := w.Game(g); err != nil {
			t.Fatal(err)
		}
	}
	return b.Bytes()
}

func TestRecordKeepsThePosition(t *testing.T) {
	for _, fen := range []string{
		"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w HAha - 0 1",
		"rnbqkbnr/ppp1pppp/8/8/3pP3/8/PPPP1PPP/RNBQKBNR b HAha e3 0 3",
		"r3k2r/8/8/8/8/8/8/R3K2R b Ha - 7 20",
		"1rk3r1/8/8/8/8/8/8/1RK3R1 w GBgb - 99 80",
		"4k3/8/8/8/8/8/8/4K2R b - - 12 31",
	} {
		p, err := chess.ParseFEN(fen)
		if err != nil {
			t.Fatal(err)
		}
		ply := 2 * (p.FullmoveNumber() - 1)
		if p.SideToMove() == chess.Black {
			ply++
		}
		r := NewRecord(&p, -123, ply, true)
		r.SetResult(WhiteWins)
		q, err := r.Position()
		if err != nil {
			t.Errorf("%s: %v", fen, err)
			continue
		}
		if q != p {
			t.Errorf("%s comes back as %s", p.ShredderFEN(), q.ShredderFEN())
		}
		if r.Score() != -123 || r.Ply() != ply || r.Result() != WhiteWins || r.Quiet() {
			t.Errorf("%s: score %d, ply %d, result %d, quiet %v", fen, r.Score(), r.Ply(), r.Result(), r.Quiet())
		}
	}
}

func TestScoreIsCutAndCheckIsNotQuiet(t *testing.T) {
	p, err := chess.ParseFEN("4k3/8/8/8/8/8/4R3/4K3 b - - 0 1")
	if err != nil {
		t.Fatal(err)
	}
	r := NewRecord(&p, -99999, 1, false)
	if r.Score() != -MaxScore || r.Quiet() {
		t.Errorf("score %d, quiet %v", r.Score(), r.Quiet())
	}
	p = chess.StartPosition()
	r = NewRecord(&p, 20, 0, false)
	if !r.Quiet() {
		t.Error("the start is not quiet")
	}
}

func TestFileComesBack(t *testing.T) {
	games := samples(t, 12)
	r, err := NewReader(bytes.NewReader(file(t, games)))
	if err != nil {
		t.Fatal(err)
	}
	var read []Record
	for i, want := range games {
		if read, err = r.Game(read[:0]); err != nil {
			t.Fatal(err)
		}
		if len(read) != len(want) {
			t.Fatalf("game %d has %d records, want %d", i, len(read), len(want))
		}
		for j := range want {
			if read[j] != want[j] {
				t.Errorf("record %d of game %d differs", j, i)
			}
		}
	}
	if _, err := r.Game(nil); err != io.EOF {
		t.Errorf("at the end: %v", err)
	}
}

func TestDamagedFiles(t *testing.T) {
	games := samples(t, 3)
	good := file(t, games)
	last := len(file(t, games[:2])) // where the third game begins
	changed := func(at int, to byte) []byte {
		b := bytes.Clone(good)
		b[at] = to
		return b
	}
	tests := []struct {
		name      string
		data      []byte
		games     int // read before the fault
		truncated bool
		message   string
	}{
		{"empty", nil, 0, false, "too short for a header"},
		{"half a header", good[:9], 0, false, "too short for a header"},
		{"another kind of file", []byte("%PDF-1.7 and so on and so on"), 0, false, "no training data"},
		{"version 9", changed(8, 9), 0, false, "version 9"},
		{"records of 33 bytes", changed(12, 33), 0, false, "33 bytes"},
		{"cut in a record", good[:last+100], 2, true, "game 3 at byte"},
		{"cut in a block's header", good[:last+5], 2, true, "game 3 at byte"},
		{"cut after a block's header", good[:last+8], 2, true, "game 3 at byte"},
		{"a changed byte", changed(last+40, good[last+40]^1), 2, false, "checksum"},
		{"a changed checksum", changed(last+4, good[last+4]^1), 2, false, "checksum"},
		{"no records", changed(last, 0), 2, false, "0 records"},
		{"too many records", changed(last+3, 1), 2, false, "must have 1 to"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			n := 0
			r, err := NewReader(bytes.NewReader(tt.data))
			for err == nil {
				if _, err = r.Game(nil); err == nil {
					n++
				}
			}
			if n != tt.games || errors.Is(err, ErrTruncated) != tt.truncated || !strings.Contains(err.Error(), tt.message) {
				t.Errorf("%d games, then %v", n, err)
			}
		})
	}
}

func TestWriterRefusesAGameWithoutRecords(t *testing.T) {
	w, err := NewWriter(io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Game(nil); err == nil {
		t.Error("no error for no records")
	}
	if err := w.Game(make([]Record, MaxGame+1)); err == nil {
		t.Error("no error for too many records")
	}
}

func FuzzReader(f *testing.F) {
	good := file(f, samples(f, 3))
	f.Add(good)
	f.Add(good[:len(good)-7])
	f.Add([]byte(magic))
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := NewReader(bytes.NewReader(data))
		read := headerSize
		var records []Record
		for err == nil {
			if records, err = r.Game(records[:0]); err == nil {
				read += blockHeader + len(records)*RecordSize
			}
		}
		if err == io.EOF && read != len(data) {
			t.Errorf("%d of %d bytes read without a fault", read, len(data))
		}
	})
}

func FuzzRecord(f *testing.F) {
	for _, g := range samples(f, 2) {
		f.Add(g[20][:])
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) < RecordSize {
			return
		}
		r := Record(data)
		p, err := r.Position()
		if err != nil {
			return
		}
		// What is a position comes back as it was packed.
		again := NewRecord(&p, r.Score(), r.Ply(), false)
		q, err := again.Position()
		if err != nil {
			t.Fatalf("%s does not come back: %v", p.ShredderFEN(), err)
		}
		if q != p {
			t.Errorf("%s comes back as %s", p.ShredderFEN(), q.ShredderFEN())
		}
	})
}

func BenchmarkPosition(b *testing.B) {
	r := samples(b, 1)[0][20]
	for b.Loop() {
		if _, err := r.Position(); err != nil {
			b.Fatal(err)
		}
	}
}
