package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/mattn/go-isatty"
)

// progressLine shows how far something is: on a terminal as one line that changes, with a bar; elsewhere as a plain line now and then.
// It is for one goroutine at a time.
type progressLine struct {
	to       io.Writer
	terminal bool
	now      func() time.Time
	began    time.Time
	last     time.Time // of a line
	drawn    bool      // a line stands on the terminal
}

// The least times between lines on a terminal and elsewhere.
const (
	drawEvery  = 100 * time.Millisecond
	plainEvery = 10 * time.Second
)

// barWidth is the width of a bar in characters.
const barWidth = 24

func newProgressLine(to io.Writer) *progressLine {
	file, isFile := to.(*os.File)
	p := &progressLine{to: to, terminal: isFile && isatty.IsTerminal(file.Fd()), now: time.Now}
	p.began = p.now()
	return p
}

// show tells that done of total are done; a total of 0 is one that nobody knows.
func (p *progressLine) show(done, total int64, text string) {
	now := p.now()
	every := plainEvery
	if p.terminal {
		every = drawEvery
	}
	if !p.last.IsZero() && now.Sub(p.last) < every && !(p.terminal && total > 0 && done >= total) {
		return
	}
	p.last = now
	if !p.terminal {
		fmt.Fprintln(p.to, text)
		return
	}
	if total > 0 {
		text = bar(done, total, now.Sub(p.began)) + text
	}
	// What is wider than the terminal is cut by it, not wrapped: a second line could not be written over.
	fmt.Fprintf(p.to, "\r\x1b[?7l%s\x1b[K\x1b[?7h", text)
	p.drawn = true
}

// clear makes room for other output.
func (p *progressLine) clear() {
	if p.drawn {
		fmt.Fprint(p.to, "\r\x1b[K")
		p.drawn = false
	}
}

// Write writes lines in place of the bar, which comes back with the next show.
func (p *progressLine) Write(text []byte) (int, error) {
	p.clear()
	return p.to.Write(text)
}

// bar draws the part that is done, in per cent too, and the time that the rest takes at the pace so far.
func bar(done, total int64, elapsed time.Duration) string {
	part := min(max(float64(done)/float64(total), 0), 1)
	full := int(part * barWidth)
	left := ""
	if done > 0 && done < total && elapsed >= time.Second {
		left = fmt.Sprintf("%v left  ", time.Duration(float64(elapsed)*(1-part)/part).Round(time.Second))
	}
	return fmt.Sprintf("[%s%s] %3.0f%%  %s", strings.Repeat("#", full), strings.Repeat(".", barWidth-full), 100*part, left)
}
