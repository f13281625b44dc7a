package chess

import (
	"errors"
	"io"
	"iter"
	"slices"
	"strconv"
	"strings"
)

// PGNReader reads the games of a PGN text one after the other, in memory that does not grow with the text: one game is
// held at a time, and at most 4 MiB of text, 20,000 plies, 20,000 variations and 200,000 plies in variations are accepted for it.
//
// It reads what files in the wild have: a byte order mark, every kind of line end, escape lines, comments of both kinds, glyphs
// as "$1" and as "!", variations within variations, moves as ParseSAN reads them, missing tags, missing blank
// lines, a missing result, "1/2", "1/2 - 1/2" and "½-½" for a draw, text in UTF-8 or in ISO 8859-1. Move numbers are not looked
// at: they may be wrong, without a dot, or missing. Comments before the tags belong to the position before the first move,
// those that follow the result on its line to the last. Variant tags other than standard chess and Chess960 are an error,
// and so is a null move ("--", "Z0" or "0000") outside a variation.
type PGNReader struct {
	s *pgnScanner
	// pending is tokens that were taken but belong to what comes next, the next one last.
	pending []pgnToken
	// open is the number of variations that were open where the moves ended, at a fault.
	open int
}

// NewPGNReader returns a reader of the games in r.
func NewPGNReader(r io.Reader) *PGNReader { return &PGNReader{s: newPGNScanner(r)} }

// Read returns the next game, or io.EOF when there is none.
//
// When something is wrong in the text the error is a *PGNError and the game holds what came before the fault; the next Read
// goes on with the game after. Any other error is the underlying reader's and ends the reading.
func (r *PGNReader) Read() (*PGNGame, error) {
	r.s.size, r.s.gap, r.open = 0, true, 0
	var opening []byte // the comments before the tags
	t, fault := r.token()
	for ; fault == nil && t.kind == pgnComment; t, fault = r.token() {
		opening = append(append(opening, ' '), t.text...)
	}
	if fault == nil && t.kind == pgnEOF {
		return nil, r.s.err
	}
	g := &PGNGame{Game: NewGame(StartPosition(), FIDE)}
	if fault == nil {
		r.unread(t)
		fault = r.readGame(g, opening)
	}
	if r.s.err != nil && !errors.Is(r.s.err, io.EOF) {
		return g, r.s.err
	}
	if fault != nil {
		r.skipGame()
		return g, fault
	}
	return g, nil
}

// All returns the games for a range loop, each with the error that Read would return for it. The loop goes on after a
// *PGNError and ends after any other error.
func (r *PGNReader) All() iter.Seq2[*PGNGame, error] {
	return func(yield func(*PGNGame, error) bool) {
		for {
			g, err := r.Read()
			if errors.Is(err, io.EOF) {
				return
			}
			var fault *PGNError
			if !yield(g, err) || err != nil && !errors.As(err, &fault) {
				return
			}
		}
	}
}

// nextToken takes a token, pending ones first.
func (r *PGNReader) nextToken() (pgnToken, *PGNError) {
	if n := len(r.pending); n > 0 {
		t := r.pending[n-1]
		r.pending = r.pending[:n-1]
		return t, nil
	}
	return r.s.token()
}

// token is nextToken within the bounds of a game.
func (r *PGNReader) token() (pgnToken, *PGNError) {
	t, fault := r.nextToken()
	if fault == nil && r.s.size > maxPGNGameBytes {
		r.unread(t) // it may be where the next game begins
		fault = t.faultf("the game is longer than %d bytes", maxPGNGameBytes)
	}
	return t, fault
}

func (r *PGNReader) unread(t pgnToken) { r.pending = append(r.pending, t) }

// skipGame takes what is left of a game after a fault: up to its result, which is not one inside a variation, or to the tags
// of the next.
func (r *PGNReader) skipGame() {
	open := r.open
	for {
		t, fault := r.nextToken()
		switch {
		case fault != nil: // of no interest within what is skipped
		case t.kind == pgnChar && t.text == "(":
			open++
		case t.kind == pgnChar && t.text == ")":
			open = max(open-1, 0)
		case t.kind == pgnEOF, open == 0 && r.result(&t) != "":
			r.afterResult(nil)
			return
		case t.kind == pgnChar && t.text == "[" && t.lineStart:
			r.unread(t)
			return
		}
	}
}

// skipTags takes what is left of a tag section after a fault, so that its rest is not read as another game.
func (r *PGNReader) skipTags() {
	// A tag that a crash has torn off may be followed by a whole one, which is what came in place of its rest.
	var next *pgnToken
	if n := len(r.pending); n > 0 && r.pending[n-1].kind == pgnChar && r.pending[n-1].text == "[" && r.pending[n-1].lineStart {
		next = &r.pending[n-1]
	} else if r.s.column > 1 {
		r.s.skipLine()
	}
	r.pending = r.pending[:0]
	for {
		var open pgnToken
		var fault *PGNError
		if next != nil {
			open, next = *next, nil
		} else {
			open, fault = r.s.token()
		}
		switch {
		case fault != nil:
			continue
		case open.kind != pgnChar || open.text != "[":
			r.unread(open)
			return
		}
		name, fault := r.s.token()
		if fault == nil && name.kind == pgnWord && name.text == "Event" {
			r.unread(name)
			r.unread(open)
			return
		}
		if r.s.column > 1 {
			r.s.skipLine()
		}
	}
}

// result returns the result that a token stands for, perhaps after a move number, or "" when it is none. It takes what is left of
// a draw that was written with blanks.
func (r *PGNReader) result(t *pgnToken) string {
	if t.kind != pgnWord {
		return ""
	}
	text := withoutMoveNumber(t.text)
	if text == "1/2" && len(r.pending) == 0 {
		r.s.skipOtherHalf()
	}
	return pgnResult(text)
}

// afterResult takes the comments that stand after a result on its line, which belong to the game before.
func (r *PGNReader) afterResult(line *pgnLine) *PGNError {
	for on := r.s.line; len(r.pending) == 0 && r.s.line == on && r.s.commentFollows(); {
		t, fault := r.token()
		if fault != nil {
			return fault
		}
		if line != nil {
			line.comment = append(append(line.comment, ' '), t.text...)
		}
	}
	return nil
}

func (r *PGNReader) readGame(g *PGNGame, opening []byte) *PGNError {
	defer g.settleResult()
	fenTag, fault := r.readTags(g)
	if fault != nil {
		r.skipTags()
		return fault
	}
	if fen := g.Tag("FEN"); fen != "" {
		start, err := ParseFEN(fen)
		if err != nil {
			return fenTag.fault(err)
		}
		g.Game = NewGame(start, FIDE)
	}
	return r.readMoves(g, opening)
}

// settleResult takes the result from the tag when the moves end without one, and corrects a tag that says "*" about a game
// that ended. Otherwise the two may differ, as they do in the file.
func (g *PGNGame) settleResult() {
	for i, t := range g.Tags {
		switch {
		case t.Name != "Result":
		case g.Result == "":
			g.Result = pgnResult(t.Value)
		case g.Result != "" && t.Value == "*":
			g.Tags[i].Value = g.Result
		}
	}
	if g.Result == "" {
		g.Result = "*"
	}
}

// readTags reads the tag section and returns the token at which the FEN tag begins.
func (r *PGNReader) readTags(g *PGNGame) (fenTag pgnToken, fault *PGNError) {
	for {
		open, fault := r.token()
		if fault != nil {
			return fenTag, fault
		}
		if open.kind != pgnChar || open.text != "[" {
			r.unread(open)
			return fenTag, nil
		}
		name, fault := r.expect(pgnWord, "", "a tag's name")
		if fault != nil {
			return fenTag, fault
		}
		if reason := tagNameFault(name.text); reason != "" {
			return fenTag, name.fault(&SyntaxError{"PGN tag name", name.text, reason})
		}
		if name.text == "Event" && hasTag(g.Tags, "Event") {
			r.unread(name) // the game had tags and nothing else, and these are the next one's
			r.unread(open)
			return fenTag, nil
		}
		value, fault := r.expect(pgnString, "", "a tag's value in quotes")
		if fault != nil {
			return fenTag, fault
		}
		if _, fault := r.expect(pgnChar, "]", `"]" after the tag`); fault != nil {
			return fenTag, fault
		}
		g.Tags = append(g.Tags, Tag{name.text, value.text})
		switch {
		case name.text == "FEN":
			fenTag = value
		case name.text == "Variant" && !isKnownVariant(value.text):
			return fenTag, value.faultf("the variant %s is none that this reader knows: standard chess and Chess960", quote(value.text))
		}
	}
}

func hasTag(tags []Tag, name string) bool {
	return slices.ContainsFunc(tags, func(t Tag) bool { return t.Name == name })
}

// isKnownVariant tells whether a Variant tag names standard chess or Chess960, in the spellings of Lichess and others.
func isKnownVariant(name string) bool {
	switch plainVariant(name) {
	case "fromposition", "chess960", "fischerandom", "fischerrandom":
		return true
	}
	return isStandardVariant(name)
}

// isStandardVariant tells whether a Variant tag names standard chess. Lichess's "From Position" leaves open which it is.
func isStandardVariant(name string) bool {
	switch plainVariant(name) {
	case "", "standard", "chess", "normal":
		return true
	}
	return false
}

// plainVariant returns the value of a Variant tag in lower case, without blanks and hyphens.
func plainVariant(name string) string {
	return strings.NewReplacer(" ", "", "-", "").Replace(strings.ToLower(name))
}

// expect takes a token that must be of a kind and, unless empty, have a text.
func (r *PGNReader) expect(kind pgnKind, text, what string) (pgnToken, *PGNError) {
	t, fault := r.token()
	if fault == nil && (t.kind != kind || text != "" && t.text != text) {
		r.unread(t)
		fault = t.faultf("%s was expected instead of %s", what, t.describe())
	}
	return t, fault
}

func (t *pgnToken) describe() string {
	switch t.kind {
	case pgnEOF:
		return "the end"
	case pgnComment:
		return "a comment"
	case pgnString:
		return "the string " + quote(t.text)
	}
	return quote(t.text)
}

// pgnLine is a line of play that is being read: the main line or a variation.
type pgnLine struct {
	before, now Position // before is the position in which the last move was played
	moves       []Move
	notes       []Note
	comment     []byte // the comments after the last move so far
}

// endNote puts the comments into the note after the last move. They are gathered first, so that many of them take no longer
// to read than one of the same length.
func (l *pgnLine) endNote() {
	if len(l.comment) > 0 {
		n := l.note()
		n.Comment = n.takeCommands(oneLine(string(l.comment)))
		l.comment = l.comment[:0]
	}
}

// note returns the note after the last move.
func (l *pgnLine) note() *Note {
	for len(l.notes) <= len(l.moves) {
		l.notes = append(l.notes, Note{})
	}
	return &l.notes[len(l.moves)]
}

// readMoves reads the movetext and its end.
func (r *PGNReader) readMoves(g *PGNGame, opening []byte) *PGNError {
	lines := []pgnLine{{now: g.Game.Start(), comment: opening}} // the main line and the variations that are open
	variations, plies := 0, 0                                   // of all variations
	// What was read before a fault is kept, without variations that have no end.
	defer func() {
		lines[0].endNote()
		g.Notes, r.open = lines[0].notes, len(lines)-1
	}()
	for {
		t, fault := r.token()
		if fault != nil {
			return fault
		}
		line := &lines[len(lines)-1]
		switch {
		case t.kind == pgnComment:
			line.comment = append(append(line.comment, ' '), t.text...)
		case t.kind == pgnNAG:
			nag, fault := parseNAG(&t)
			if fault != nil {
				return fault
			}
			n := line.note()
			n.NAGs = append(n.NAGs, nag)
		case t.kind == pgnChar && t.text == "(":
			variations++
			r.unread(t) // until it is found to be good: after a fault it counts among what is skipped
			if len(line.moves) == 0 {
				return t.faultf("a variation begins before there is a move that it could replace")
			}
			if len(lines) > maxPGNDepth {
				return t.faultf("variations are nested more than %d deep", maxPGNDepth)
			}
			if variations > maxPGNVariations {
				return t.faultf("the game has more than %d variations", maxPGNVariations)
			}
			r.pending = r.pending[:len(r.pending)-1]
			lines = append(lines, pgnLine{now: line.before})
		case t.kind == pgnChar && t.text == ")":
			if len(lines) == 1 {
				return t.faultf(`a ")" has no "(" before it`)
			}
			line.endNote()
			lines = lines[:len(lines)-1]
			n := lines[len(lines)-1].note()
			n.Variations = append(n.Variations, Variation{line.moves, line.notes})
		case len(lines) == 1 && (t.kind == pgnEOF || t.kind == pgnChar && t.text == "[" && t.lineStart):
			r.unread(t) // the next game begins, or nothing does
			return nil
		case t.kind == pgnWord:
			if result := r.result(&t); result != "" {
				if len(lines) > 1 {
					continue // some programs end variations like games
				}
				g.Result = result
				return r.afterResult(line)
			}
			before := len(line.moves)
			if fault := r.readMove(g, line, &t, len(lines) > 1); fault != nil {
				return fault
			}
			if len(lines) > 1 {
				plies += len(line.moves) - before
			}
			if plies > maxPGNVariationPlies {
				return t.faultf("the variations of the game have more than %d plies", maxPGNVariationPlies)
			}
		default:
			r.unread(t) // it may be where the next game begins
			return t.faultf("a move was expected instead of %s", t.describe())
		}
	}
}

// readMove plays the move of a word on a line, unless the word has none.
func (r *PGNReader) readMove(g *PGNGame, line *pgnLine, t *pgnToken, variation bool) *PGNError {
	text := withoutMoveNumber(t.text)
	t.column += len(t.text) - len(text)
	switch {
	case text == "":
		return nil
	case text == "e.p." && (len(line.moves) == 0 || !line.moves[len(line.moves)-1].IsEnPassant()):
		return t.faultf(`"e.p." stands after something else than an en passant capture`)
	case text == "e.p.":
		return nil
	case len(line.moves) >= maxPGNPlies:
		return t.faultf("the game has more than %d plies", maxPGNPlies)
	}
	line.endNote()
	line.before = line.now
	if isNullMove(text) {
		if !variation {
			return t.faultf("a null move is not a move: it may stand only in a variation")
		}
		if line.now.InCheck() {
			return t.faultf("a null move in check leaves the king to be taken")
		}
		line.now = line.now.PlayNull()
		line.moves = append(line.moves, NoMove)
		return nil
	}
	m, err := line.now.ParseSAN(text)
	if err != nil {
		return t.fault(err)
	}
	line.now = line.now.Play(m)
	line.moves = append(line.moves, m)
	if !variation {
		g.Game.push(m)
	}
	return nil
}

// isNullMove tells whether a word is a null move: as ChessBase and as others write it, and as UCI does.
func isNullMove(word string) bool { return word == "--" || word == "Z0" || word == "0000" }

// withoutMoveNumber takes "12." or "12..." off the front of a word, and the whole of a word that is nothing else. A number may
// stand without a dot (section 8.2.2.1 of the standard), but for one that is a null move.
func withoutMoveNumber(word string) string {
	if isNullMove(word) {
		return word
	}
	rest := strings.TrimLeft(word, "0123456789")
	if rest == "" || rest[0] == '.' {
		return strings.TrimLeft(rest, ".")
	}
	return word
}

var suffixNAGs = map[string]int{"!": 1, "?": 2, "!!": 3, "??": 4, "!?": 5, "?!": 6}

func parseNAG(t *pgnToken) (int, *PGNError) {
	if nag, ok := suffixNAGs[t.text]; ok {
		return nag, nil
	}
	nag, err := strconv.ParseUint(strings.TrimPrefix(t.text, "$"), 10, 8)
	if err != nil || t.text[0] != '$' {
		return 0, t.faultf("%s is no annotation: $0 to $255, or one of ! ? !! ?? !? ?!", quote(t.text))
	}
	return int(nag), nil
}
