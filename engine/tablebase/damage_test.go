package tablebase

import (
	"bytes"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"castellan/engine/chess"
)

// FuzzTable reads any bytes as a table and asks it about positions with its men. Nothing may panic, hang or be read outside of
// the bytes.
func FuzzTable(f *testing.F) {
	paths, err := filepath.Glob(smallTables + "/*")
	if err != nil || len(paths) == 0 {
		f.Fatal("no tables: ", err)
	}
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		if name, kind, _ := splitName(filepath.Base(path)); len(data) < 10_000 {
			f.Add(name, kind == &kindDTZ, data)
		}
	}
	f.Fuzz(func(t *testing.T, name string, dtz bool, data []byte) {
		m, ok := parseMaterial(name)
		if !ok {
			return
		}
		kind := &kindWDL
		if dtz {
			kind = &kindDTZ
		}
		askAnything(bytes.Clone(data), kind, m)
	})
}

// askAnything asks a table about some positions, if it is one, and returns how many answers there were.
func askAnything(data []byte, kind *kind, m material) int {
	table, err := readTable(data[:len(data):len(data)], kind, m)
	if err != nil {
		return 0
	}
	answers := 0
	r := rand.New(rand.NewPCG(7, 7))
	for range 40 {
		p, ok := randomPosition(r, m)
		if !ok {
			continue
		}
		if kind == &kindWDL {
			if _, ok := table.wdl(&p, false); ok {
				answers++
			}
			continue
		}
		for _, w := range []WDL{Loss, BlessedLoss, CursedWin, Win} {
			if _, present, ok := table.dtz(&p, false, w); present && ok {
				answers++
			}
		}
	}
	return answers
}

// TestDamage changes bytes of real tables at random and cuts them off.
func TestDamage(t *testing.T) {
	paths, _ := filepath.Glob(smallTables + "/*")
	r := rand.New(rand.NewPCG(3, 4))
	answers := 0
	for _, path := range paths {
		name, kind, _ := splitName(filepath.Base(path))
		m, _ := parseMaterial(name)
		whole, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if askAnything(whole, kind, m) == 0 && kind == &kindWDL {
			t.Errorf("%s: no answer from the whole table", path)
		}
		for range 150 {
			data := bytes.Clone(whole)
			for range 1 + r.IntN(4) {
				data[r.IntN(min(len(data), 64<<r.IntN(8)))] = byte(r.Uint32())
			}
			answers += askAnything(data, kind, m)
			answers += askAnything(data[:r.IntN(len(data))], kind, m)
		}
	}
	t.Logf("%d answers", answers)
}

// write puts a table into a new directory.
func write(t *testing.T, name string, data []byte) (directory string) {
	t.Helper()
	directory = t.TempDir()
	if err := os.WriteFile(filepath.Join(directory, name), data, 0o666); err != nil {
		t.Fatal(err)
	}
	return directory
}

func readSmall(t *testing.T, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(smallTables, name))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestFaultsOfFiles(t *testing.T) {
	queen := readSmall(t, "KQvK.rtbw")
	p := position(t, "8/8/8/8/8/4k3/1Q6/7K w - - 0 1")
	// broken gives the table a change at a place.
	broken := func(at int, with ...byte) []byte {
		data := bytes.Clone(queen)
		copy(data[at:], with)
		return data
	}
	for _, test := range []struct {
		name string
		data []byte
		want string
	}{
		{"magic", broken(0, 0), "does not begin as a WDL table"},
		{"DTZ inside", readSmall(t, "KQvK.rtbz"), "does not begin as a WDL table"},
		{"another table inside", readSmall(t, "KPvK.rtbw"), "layout is not that of its name"},
		{"other men", readSmall(t, "KRvK.rtbw"), "men are not those of its name"},
		{"blocks without end", broken(16, 0xff, 0xff, 0xff, 0xff), ""},
		{"cut in the middle", queen[:len(queen)-64], "cut off"},
	} {
		t.Run(test.name, func(t *testing.T) {
			tables, err := Open([]string{write(t, "KQvK.rtbw", test.data)})
			if err != nil {
				t.Fatal(err)
			}
			defer tables.Close()
			for range 2 {
				if w, ok := tables.ProbeWDL(&p); ok {
					t.Errorf("it answers %v", w)
				}
			}
			err = tables.Faults()
			if err == nil || !strings.Contains(err.Error(), test.want) || !strings.Contains(err.Error(), "KQvK.rtbw\"") {
				t.Errorf("fault %v, want the file's name and %q", err, test.want)
			}
			if err := tables.Faults(); err != nil {
				t.Errorf("told again: %v", err)
			}
		})
	}
}

func TestFaultsOfDirectories(t *testing.T) {
	for _, test := range []struct {
		name, directory, want string
	}{
		{"missing", filepath.Join(t.TempDir(), "nowhere"), "cannot be read"},
		{"empty", t.TempDir(), "has no tables"},
		{"other files", write(t, "KQvX.rtbw", nil), "has no tables"},
		{"empty file", write(t, "KQvK.rtbw", nil), "no table has 0 bytes"},
		{"cut off", write(t, "KQvK.rtbw", make([]byte, 1000)), "no table has 1000 bytes"},
	} {
		t.Run(test.name, func(t *testing.T) {
			tables, err := Open([]string{smallTables, test.directory})
			if err == nil || !strings.Contains(err.Error(), test.want) || !strings.Contains(err.Error(), test.directory) {
				t.Errorf("%v, want the directory and %q", err, test.want)
			}
			if tables != nil {
				t.Error("there are tables beside the error")
			}
		})
	}
}

func TestCounts(t *testing.T) {
	// Tables in the second directory that are in the first too do not count.
	tables := open(t, smallTables, write(t, "KQvK.rtbw", readSmall(t, "KQvK.rtbw")), write(t, "KNvKN.rtbz", make([]byte, minFile)))
	want := Counts{WDL: 7, DTZ: 8, WDLMen: 4, DTZMen: 4}
	if got := tables.Counts(); got != want || tables.MaxMen() != 4 {
		t.Errorf("%+v, want %+v", got, want)
	}
	if got, want := tables.Counts().String(), "7 WDL and 8 DTZ tables with up to 4 men"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got := (*Tables)(nil).Counts().String(); got != "no tables" {
		t.Errorf("%q", got)
	}
}

// TestFileCutWhileInUse takes a mapped file's pages away, as a failing disk does.
func TestFileCutWhileInUse(t *testing.T) {
	data := readSmall(t, "KPvK.rtbw")
	page := os.Getpagesize()
	if runtime.GOOS == "windows" || page > len(data) {
		t.Skip("Windows does not let a mapped file be cut, and a file of one page stays readable")
	}
	directory := write(t, "KPvK.rtbw", data)
	tables, err := Open([]string{directory, smallTables})
	if err != nil {
		t.Fatal(err)
	}
	defer tables.Close()
	r := rand.New(rand.NewPCG(5, 6))
	pawn, _ := parseMaterial("KPvK")
	var positions []chess.Position
	for len(positions) < 200 {
		if p, ok := randomPosition(r, pawn); ok {
			positions = append(positions, p)
		}
	}
	if _, ok := tables.ProbeWDL(&positions[0]); !ok {
		t.Fatal(tables.Faults())
	}
	if err := os.Truncate(filepath.Join(directory, "KPvK.rtbw"), int64(page)); err != nil {
		t.Fatal(err)
	}
	answered := 0
	for i := range positions {
		if _, ok := tables.ProbeWDL(&positions[i]); ok {
			answered++
		}
	}
	if err := tables.Faults(); err == nil || !strings.Contains(err.Error(), "KPvK.rtbw\": it is damaged: it cannot be read to its end") {
		t.Errorf("fault %v, %d positions answered", err, answered)
	}
}

// TestManyAtOnce opens all tables from many goroutines.
func TestManyAtOnce(t *testing.T) {
	tables := open(t, smallTables)
	answers := readAnswers(t, "testdata/answers.jsonl")
	var wg sync.WaitGroup
	for n := range 8 {
		wg.Go(func() {
			for i := range answers {
				a := answers[(i*7+n*31)%len(answers)]
				p, _ := chess.ParseFEN(a.FEN)
				if plies, ok := tables.ProbeDTZ(&p); !ok || plies != a.DTZ {
					t.Errorf("%s: distance %d, %v; want %d", a.FEN, plies, ok, a.DTZ)
				}
			}
		})
	}
	wg.Wait()
}

// constantTable makes a WDL table in which all positions with the same side to move have one value.
func constantTable(t *testing.T, name string, white, black WDL) []byte {
	t.Helper()
	m, ok := parseMaterial(name)
	f := newForm(m)
	if !ok || f.leader != chess.NoPiece || f.symmetric {
		t.Fatal("only for men without pawns that differ: ", name)
	}
	data := append(bytes.Clone(kindWDL.magic[:]), layoutTwoSides, 0)
	for _, alone := range []bool{true, false} { // those that are alone of their kind come first
		for man := chess.Piece(1); man < 15; man++ {
			if man.Type() != chess.NoPieceType && man.Type() <= chess.King && (m.of(man) == 1) == alone {
				data = append(data, bytes.Repeat([]byte{byte(man) * 0x11}, m.of(man))...)
			}
		}
	}
	if len(data)%2 == 1 {
		data = append(data, 0)
	}
	data = append(data, oneValue, byte(white-Loss), oneValue, byte(black-Loss))
	return append(data, make([]byte, minFile-len(data))...)
}
