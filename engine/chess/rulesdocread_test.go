package chess

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// section is a section of docs/rules.md taken apart.
type section struct {
	title, text string
	diagrams    []diagram
}

type diagram struct {
	line       int
	fen        string
	board      [64]string
	toMove     string
	statements []statement
}

type statement struct {
	line  int
	moves []string // played first
	text  string
}

// requiredSections are the rules that the document must have, whatever else is in it.
var requiredSections = []string{
	"The start", "The king", "The queen", "The rook", "The bishop", "The knight", "The pawn",
	"Check has three answers", "Double check", "Pins",
	"Castling", "The king has moved", "The rook has moved", "Nothing may stand between", "Not out of check",
	"Not through an attacked square", "Not into check", "The rook may pass an attacked square", "Not with a promoted rook",
	"Castling in Chess960",
	"En passant", "En passant is a right of one move", "En passant must not lay the king bare", "Promotion",
	"Checkmate", "Stalemate",
	"King against king", "King and one minor piece against king", "Bishops on one colour",
	"Third occurrence", "Fifth occurrence", "A lost castling right makes another position",
	"En passant makes another position", "A double step without an answer changes nothing",
	"Fifty moves", "Seventy-five moves", "Claims with an announced move",
	"Time", "Time against a side that cannot mate", "Agreement", "Resignation",
	"Impossible positions", "Other variants",
}

// strayMarkdown matches what a reader would take for a statement, a diagram or a heading but this test would not.
var strayMarkdown = regexp.MustCompile("^\\s*([*+•–—]\\s|\\d+[.)]\\s|```|~~~|#)|^\\s+-\\s|^-\\S|^-\\s\\s|^\t|^ {4}")

func readRulesDocument(text string) (sections []section, err error) {
	lines := strings.Split(text, "\n")
	for i := 0; i < len(lines); i++ {
		line := lines[i]
		switch {
		case strings.HasPrefix(line, "## "):
			title := line[3:]
			if slices.ContainsFunc(sections, func(s section) bool { return s.title == title }) {
				return nil, fmt.Errorf("rules.md:%d: a second section %q", i+1, title)
			}
			sections = append(sections, section{title: title})
		case len(sections) == 0: // the introduction
			if strings.HasPrefix(line, "```") || strings.HasPrefix(line, "- ") {
				return nil, fmt.Errorf("rules.md:%d: a diagram or a statement outside any section", i+1)
			}
		case line == "```":
			end := i + 1 + slices.Index(lines[i+1:], "```")
			if end <= i {
				return nil, fmt.Errorf("rules.md:%d: a diagram without end", i+1)
			}
			d, err := readDiagram(i+2, lines[i+1:end])
			if err != nil {
				return nil, err
			}
			s := &sections[len(sections)-1]
			s.diagrams = append(s.diagrams, d)
			i = end
		case strayMarkdown.MatchString(line):
			return nil, fmt.Errorf(`rules.md:%d: %q is neither a statement ("- " at the start of the line) nor a diagram nor a section`, i+1, line)
		case strings.HasPrefix(line, "- "):
			diagrams := sections[len(sections)-1].diagrams
			if len(diagrams) == 0 {
				return nil, fmt.Errorf("rules.md:%d: a statement without diagram", i+1)
			}
			st, err := readStatement(i+1, line[2:])
			if err != nil {
				return nil, err
			}
			d := &diagrams[len(diagrams)-1]
			d.statements = append(d.statements, st)
		default:
			sections[len(sections)-1].text += line + "\n"
		}
	}
	return sections, nil
}

// readDiagram reads a FEN, an empty line, eight ranks, an empty line, and the files with the side to move.
func readDiagram(line int, lines []string) (d diagram, err error) {
	if len(lines) != 12 || lines[1] != "" || lines[10] != "" {
		return d, fmt.Errorf("rules.md:%d: a diagram is a FEN, a board of eight lines and the line of files, with empty lines between", line)
	}
	d = diagram{line: line, fen: lines[0]}
	for i, row := range lines[2:10] {
		fields := strings.Fields(row)
		if len(fields) != 9 || fields[0] != strconv.Itoa(8-i) {
			return d, fmt.Errorf("rules.md:%d: a rank is its number and eight squares", line+2+i)
		}
		for file, man := range fields[1:] {
			d.board[NewSquare(file, 7-i)] = man
		}
	}
	files := strings.Fields(lines[11])
	if len(files) != 11 || strings.Join(files[:8], "") != "abcdefgh" || strings.Join(files[9:], " ") != "to move" {
		return d, fmt.Errorf("rules.md:%d: the last line is the files and who is to move", line+11)
	}
	d.toMove = files[8]
	return d, nil
}

var afterPattern = regexp.MustCompile(`^After ([^,:]+)(?:, (\d+) times)?: (.*)$`)

func readStatement(line int, text string) (s statement, err error) {
	s = statement{line: line, text: text}
	if m := afterPattern.FindStringSubmatch(text); m != nil {
		s.text = m[3]
		times := 1
		if m[2] != "" {
			if times, err = strconv.Atoi(m[2]); err != nil || times > 9 {
				return s, fmt.Errorf("rules.md:%d: %q times", line, m[2])
			}
		}
		s.moves = slices.Repeat(strings.Fields(m[1]), times)
	}
	return s, nil
}

// TestRulesDocumentReader checks that nothing in the document can pass for a statement without being checked.
func TestRulesDocumentReader(t *testing.T) {
	start := StartPosition()
	board := "```\n" + startFEN + "\n\n" + start.Diagram() + "```\n"
	if sections, err := readRulesDocument("# T\n\n## A\n\nText.\n\n" + board + "\n- White is not in check.\n"); err != nil ||
		len(sections) != 1 || len(sections[0].diagrams) != 1 || len(sections[0].diagrams[0].statements) != 1 {
		t.Fatalf("a good document is read as %v with error %v", sections, err)
	}
	for _, line := range []string{
		"* White is in check.", "+ White is in check.", "  - White is in check.", " - White is in check.", "\t- White is in check.",
		"-  White is in check.", "-White is in check.", "• White is in check.", "– White is in check.", "1. White is in check.", "2) White is in check.",
		"### B", "# B", "## A", "```text", " ```", "~~~", "    code", "```",
	} {
		if _, err := readRulesDocument("# T\n\n## A\n\nText.\n\n" + board + "\n- White is not in check.\n" + line + "\n"); err == nil {
			t.Errorf("a document with the line %q is read", line)
		}
	}
}
