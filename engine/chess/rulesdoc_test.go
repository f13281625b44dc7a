package chess

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// The tests in this file read docs/rules.md and hold every diagram and every statement in it against two sets of rules:
// engine/chess and github.com/notnil/chess.

// ruleBook is what a statement of the document may ask of a game.
type ruleBook interface {
	Start(fen string) error
	Play(san string) error
	Board() [64]string           // FEN letters or "."
	SideToMove() string          // "White" or "Black"
	FEN() string                 // en passant square only when a pawn stands ready to take
	Moves() map[string][2]string // by SAN: from and to
	InCheck() bool
	Checkers() []string // where the men stand that give check; one may come twice
	Outcome() string    // "1-0 by checkmate", "none"
	Claims() []string
	ClaimsWith(san string) ([]string, error)
	Accepts(fen string) error
	Occurrences() int
	Sequences(plies int) int
	OutcomeOnLichess(bot bool) (string, error)
	OnTime(loser string) (string, error)
	Agree() string
	Resign(loser string) string
}

// Where notnil/chess cannot answer, or is known to answer wrongly. The document names each where it matters.
var (
	errNotnilHasNoClocks           = errors.New("notnilHasNoClocks")
	errNotnilDoesNotKnowChess960   = errors.New("notnilDoesNotKnowChess960")
	errNotnilCountsPseudoEnPassant = errors.New("notnilCountsPseudoEnPassant: it takes every double step for another position")
	errNotnilAcceptsImpossibleFENs = errors.New("notnilAcceptsImpossibleFENs: it asks neither for kings nor who is in check")
)

// names tells whether a section's text names what notnil cannot do or gets wrong.
func (s *section) names(err error) bool {
	name, _, _ := strings.Cut(err.Error(), ":")
	return strings.Contains(s.text, name)
}

// notnilFault returns what notnil gets wrong in a section, as the section itself says, or nil.
func notnilFault(s *section) error {
	for _, err := range []error{errNotnilCountsPseudoEnPassant, errNotnilAcceptsImpossibleFENs} {
		if s.names(err) {
			return err
		}
	}
	return nil
}

// statementKinds are the sentences that the document may use, and what is to be true of them. Each returns what the rules say
// instead, or nothing.
var statementKinds = []struct {
	pattern *regexp.Regexp
	check   func(r ruleBook, m []string) (instead string, err error)
}{
	{regexp.MustCompile(`^Sequences of (.+) plies: (.+)\.$`), func(r ruleBook, m []string) (string, error) {
		counts := listOf(m[2])
		for i, plies := range listOf(m[1]) {
			n, err := strconv.Atoi(plies)
			if err != nil || n > 3 || i >= len(counts) {
				return "", fmt.Errorf("cannot count sequences of %s plies", plies)
			}
			if got := r.Sequences(n); strconv.Itoa(got) != strings.ReplaceAll(counts[i], ",", "") {
				return fmt.Sprintf("%d sequences of %d plies", got, n), nil
			}
		}
		return "", nil
	}},
	{regexp.MustCompile(`^The (king|queen|rook|bishop|knight|pawn) on (..) goes to (.+)\.$`), func(r ruleBook, m []string) (string, error) {
		letter := map[string]string{"king": "k", "queen": "q", "rook": "r", "bishop": "b", "knight": "n", "pawn": "p"}[m[1]]
		s, _ := ParseSquare(m[2])
		if man := r.Board()[s&63]; strings.ToLower(man) != letter {
			return fmt.Sprintf("%s stands on %s", man, m[2]), nil
		}
		var got []string
		for san, move := range r.Moves() {
			if move[0] == m[2] && !strings.HasPrefix(san, "O-O") {
				got = append(got, move[1])
			}
		}
		slices.Sort(got)
		if got = slices.Compact(got); !slices.Equal(got, listOf(m[3])) {
			return fmt.Sprintf("it goes to %v", got), nil
		}
		return "", nil
	}},
	{regexp.MustCompile(`^(Legal|Not legal): (.+)\.$`), func(r ruleBook, m []string) (string, error) {
		for _, san := range listOf(m[2]) {
			if own, isOwn := r.(*ownBook); isOwn {
				if reason := nonsense(own.game.Position(), san); reason != "" {
					return "", fmt.Errorf("%s %s", san, reason)
				}
			}
			if _, legal := r.Moves()[san]; legal != (m[1] == "Legal") {
				return fmt.Sprintf("%s is legal: %v", san, legal), nil
			}
		}
		return "", nil
	}},
	{regexp.MustCompile(`^All legal moves: (.+)\.$`), func(r ruleBook, m []string) (string, error) {
		want := listOf(m[1])
		if m[1] == "none" {
			want = nil
		}
		var got []string
		for san := range r.Moves() {
			got = append(got, san)
		}
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			return fmt.Sprint(got), nil
		}
		return "", nil
	}},
	{regexp.MustCompile(`^(White|Black) is (not )?in check\.$`), func(r ruleBook, m []string) (string, error) {
		if r.SideToMove() != m[1] {
			return r.SideToMove() + " is to move", nil
		}
		if r.InCheck() != (m[2] == "") {
			return fmt.Sprintf("in check: %v", r.InCheck()), nil
		}
		return "", nil
	}},
	{regexp.MustCompile(`^(White|Black) checks from (.+)\.$`), func(r ruleBook, m []string) (string, error) {
		if r.SideToMove() == m[1] {
			return m[1] + " is to move", nil
		}
		got := r.Checkers()
		slices.Sort(got)
		if got = slices.Compact(got); !slices.Equal(got, listOf(m[2])) {
			return fmt.Sprintf("those that give check stand on %v", got), nil
		}
		return "", nil
	}},
	{regexp.MustCompile("^The FEN is `(.+)`\\.$"), func(r ruleBook, m []string) (string, error) { return differs(r.FEN(), m[1]) }},
	{regexp.MustCompile(`^The game goes on\.$`), func(r ruleBook, m []string) (string, error) { return differs(r.Outcome(), "none") }},
	{regexp.MustCompile(`^Outcome: (.+)\.$`), func(r ruleBook, m []string) (string, error) { return differs(r.Outcome(), m[1]) }},
	{regexp.MustCompile(`^Outcome on Lichess( with a bot)?: (.+)\.$`), func(r ruleBook, m []string) (string, error) {
		got, err := r.OutcomeOnLichess(m[1] != "")
		if err != nil {
			return "", err
		}
		return differs(got, m[2])
	}},
	{regexp.MustCompile(`^The position has occurred (\d) times?\.$`), func(r ruleBook, m []string) (string, error) {
		return differs(strconv.Itoa(r.Occurrences()), m[1])
	}},
	{regexp.MustCompile(`^No draw may be claimed\.$`), func(r ruleBook, m []string) (string, error) {
		return differs(strings.Join(r.Claims(), ", "), "")
	}},
	{regexp.MustCompile(`^A draw may be claimed by (.+)\.$`), func(r ruleBook, m []string) (string, error) {
		return differs(strings.Join(r.Claims(), ", "), m[1])
	}},
	{regexp.MustCompile(`^With (\S+) announced a draw may be claimed by (.+)\.$`), func(r ruleBook, m []string) (string, error) {
		claims, err := r.ClaimsWith(m[1])
		if err != nil {
			return "", err
		}
		return differs(strings.Join(claims, ", "), m[2])
	}},
	{regexp.MustCompile("^Not a position: `(.+)`\\.$"), func(r ruleBook, m []string) (string, error) {
		if r.Accepts(m[1]) == nil {
			return "it is accepted", nil
		}
		return "", nil
	}},
	{regexp.MustCompile(`^(White|Black)'s time runs out: (.+)\.$`), func(r ruleBook, m []string) (string, error) {
		got, err := r.OnTime(m[1])
		if err != nil {
			return "", err
		}
		return differs(got, m[2])
	}},
	{regexp.MustCompile(`^A draw is agreed: (.+)\.$`), func(r ruleBook, m []string) (string, error) { return differs(r.Agree(), m[1]) }},
	{regexp.MustCompile(`^(White|Black) resigns: (.+)\.$`), func(r ruleBook, m []string) (string, error) { return differs(r.Resign(m[1]), m[2]) }},
}

// twoCheckers matches the statement that makes a check a double one.
var twoCheckers = regexp.MustCompile(`^(White|Black) checks from [a-h][1-8] and [a-h][1-8]\.$`)

func differs(got, want string) (string, error) {
	if got != want {
		return fmt.Sprintf("it is %q", got), nil
	}
	return "", nil
}

// listOf cuts "a, b and c" into its parts.
func listOf(text string) []string {
	return strings.Split(strings.ReplaceAll(text, " and ", ", "), ", ")
}

func TestRulesDocument(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("..", "..", "docs", "rules.md"))
	if err != nil {
		t.Fatal(err)
	}
	sections, err := readRulesDocument(string(data))
	if err != nil {
		t.Fatal(err)
	}
	var titles []string
	statements := 0
	for _, s := range sections {
		titles = append(titles, s.title)
		if len(s.diagrams) == 0 && s.title != "Other variants" {
			t.Errorf("the section %q has no diagram", s.title)
		}
		if strings.TrimSpace(s.text) == "" {
			t.Errorf("the section %q does not say what the rule is", s.title)
		}
		for _, d := range s.diagrams {
			if len(d.statements) == 0 {
				t.Errorf("rules.md:%d: the diagram says nothing", d.line)
			}
			statements += len(d.statements)
			if s.title == "Double check" && !slices.ContainsFunc(d.statements, func(st statement) bool { return twoCheckers.MatchString(st.text) }) {
				t.Errorf("rules.md:%d: the diagram of a double check does not say which two men give it", d.line)
			}
			for name, book := range map[string]ruleBook{"castellan": &ownBook{}, "notnil": &notnilBook{}} {
				t.Run(fmt.Sprintf("rules.md:%d:%s:%s", d.line, s.title, name), func(t *testing.T) {
					checkDiagram(t, &s, &d, book)
				})
			}
		}
	}
	for _, title := range requiredSections {
		if !slices.Contains(titles, title) {
			t.Errorf("the section %q is missing", title)
		}
	}
	if statements < 100 {
		t.Errorf("only %d statements were found: is the document read as it should be?", statements)
	}
}

func checkDiagram(t *testing.T, s *section, d *diagram, book ruleBook) {
	if err := book.Start(d.fen); err != nil {
		skipNamed(t, s, err)
		t.Fatal(err)
	}
	if board := book.Board(); board != d.board || book.SideToMove() != d.toMove {
		t.Errorf("rules.md:%d: the drawing is not of the FEN %s", d.line, d.fen)
	}
	for _, st := range d.statements {
		if err := book.Start(d.fen); err != nil {
			t.Fatal(err)
		}
		for _, san := range st.moves {
			if err := book.Play(san); err != nil {
				t.Fatalf("rules.md:%d: %s: %v", st.line, san, err)
			}
		}
		checkStatement(t, s, &st, book)
	}
}

func checkStatement(t *testing.T, s *section, st *statement, book ruleBook) {
	t.Helper()
	for _, kind := range statementKinds {
		m := kind.pattern.FindStringSubmatch(st.text)
		if m == nil {
			continue
		}
		instead, err := kind.check(book, m)
		_, isNotnil := book.(*notnilBook)
		switch {
		case errors.Is(err, errNotnilHasNoClocks) && s.names(err):
			t.Logf("rules.md:%d: not checked: %v", st.line, err)
		case err != nil:
			t.Errorf("rules.md:%d: %q: %v", st.line, st.text, err)
		case isNotnil && notnilFault(s) != nil:
			// Known to be wrong, and the document says so. Should it be right one day, the document is to be changed.
			if instead == "" {
				t.Errorf("rules.md:%d: %q: notnil is no longer wrong, but the document says so", st.line, st.text)
			}
			t.Logf("rules.md:%d: %v", st.line, notnilFault(s))
		case instead != "":
			t.Errorf("rules.md:%d: %q, after %v: %s", st.line, st.text, st.moves, instead)
		}
		return
	}
	t.Errorf("rules.md:%d: %q is no sentence that can be checked", st.line, st.text)
}

// skipNamed skips what notnil cannot do, if the document says so in that section.
func skipNamed(t *testing.T, s *section, err error) {
	t.Helper()
	if errors.Is(err, errNotnilDoesNotKnowChess960) && s.names(err) {
		t.Skip(err)
	}
}
