package engine

import (
	"testing"

	"castellan/engine/search"
)

func TestWinRates(t *testing.T) {
	last := WDL{Loss: 1000}
	for s := Score(-20000); s <= 20000; s += 10 {
		w := WinRates(s)
		if w.Win+w.Draw+w.Loss != 1000 || w.Win < 0 || w.Draw < 0 || w.Loss < 0 {
			t.Fatalf("%v: %+v", s, w)
		}
		if w.Win < last.Win || w.Loss > last.Loss {
			t.Fatalf("%v: %+v after %+v", s, w, last)
		}
		if m := WinRates(-s); m.Win != w.Loss || m.Loss != w.Win {
			t.Fatalf("%v: %+v, and %+v for the other side", s, w, m)
		}
		last = w
	}
	even := int(wdlEven)
	if w := WinRates(Score(even)); w.Win != 500 {
		t.Errorf("%+v at %d", w, even)
	}
	if w := WinRates(search.MateIn(5)); w.Win != 1000 {
		t.Errorf("mate in 5: %+v", w)
	}
	if w := WinRates(search.MateIn(-5)); w.Loss != 1000 {
		t.Errorf("mated in 5: %+v", w)
	}
}
