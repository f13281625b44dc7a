package chess

import (
	"fmt"
	"regexp"
	"strings"
)

// EPD is a line of Extended Position Description (section 16.2 of the PGN standard): a position without its counters and
// operations on it, such as best moves (bm), an identifier (id) and a perft count. Test suites come in this form.
type EPD struct {
	Position   Position
	Operations []Operation
}

// Operation is an opcode and its operands. Quotes around an operand are not part of it.
type Operation struct {
	Opcode   string
	Operands []string
}

// maxEPDLength bounds the line that ParseEPD reads: lines of test suites are below 1,000 bytes.
const maxEPDLength = 4096

// Operands returns the operands of the first operation with an opcode, and whether there is one.
func (e *EPD) Operands(opcode string) (operands []string, ok bool) {
	for _, op := range e.Operations {
		if op.Opcode == opcode {
			return op.Operands, true
		}
	}
	return nil, false
}

// ParseEPD reads one line: the first four fields of a FEN, read as ParseFEN does, then operations that each end with ";". The
// opcodes hmvc and fmvn set the position's half-move clock and move number, which are 0 and 1 otherwise. A missing ";"
// at the end is forgiven, and so are the two counters of a FEN, a ";" or both before the operations. The error is a *SyntaxError.
func ParseEPD(line string) (EPD, error) {
	if len(line) > maxEPDLength {
		return EPD{}, &SyntaxError{"EPD", line, fmt.Sprintf("is %d bytes long, at most %d are read", len(line), maxEPDLength)}
	}
	fields, rest := cutFields(line, 4)
	if len(fields) < 4 {
		return EPD{}, &SyntaxError{"EPD", line, fmt.Sprintf("has %d fields before the operations, an EPD has four", len(fields))}
	}
	clock, number := "0", "1"
	if counters := fenCounters.FindStringSubmatch(rest); counters != nil {
		clock, number, rest = counters[1], counters[2], rest[len(counters[0]):]
	} else {
		rest = strings.TrimPrefix(rest, ";")
	}
	var e EPD
	var err error
	if e.Operations, err = parseOperations(rest); err != nil {
		return EPD{}, err
	}
	if v, ok := e.Operands("hmvc"); ok && len(v) == 1 {
		clock = v[0]
	}
	if v, ok := e.Operands("fmvn"); ok && len(v) == 1 {
		number = v[0]
	}
	if e.Position, err = ParseFEN(strings.Join(append(fields, clock, number), " ")); err != nil {
		return EPD{}, err
	}
	return e, nil
}

// fenCounters matches what a whole FEN has in the place of an EPD's first operation. No opcode begins with a digit.
var fenCounters = regexp.MustCompile(`^([0-9]+)[ \t]+([0-9]+)(?:[ \t\r\n]*;|[ \t\r\n]+|$)`)

// cutFields cuts the first n fields off a line.
func cutFields(line string, n int) (fields []string, rest string) {
	rest = strings.TrimLeft(line, " \t\r\n")
	for len(fields) < n && rest != "" {
		end := strings.IndexAny(rest, " \t\r\n")
		if end < 0 {
			end = len(rest)
		}
		fields = append(fields, rest[:end])
		rest = strings.TrimLeft(rest[end:], " \t\r\n")
	}
	return fields, rest
}

func parseOperations(text string) (operations []Operation, err error) {
	rest := text
	for {
		if rest = strings.TrimLeft(rest, " \t\r\n"); rest == "" {
			return operations, nil
		}
		var words []string
		quoted := false // an opcode is never in quotes
		for rest != "" && rest[0] != ';' {
			var word string
			if rest[0] == '"' {
				end := strings.IndexByte(rest[1:], '"')
				if end < 0 {
					return nil, &SyntaxError{"EPD operations", text, `have a '"' without end`}
				}
				word, rest = rest[1:1+end], rest[end+2:]
				quoted = quoted || len(words) == 0
			} else {
				end := strings.IndexAny(rest, " \t\r\n;\"")
				if end < 0 {
					end = len(rest)
				}
				word, rest = rest[:end], rest[end:]
			}
			words = append(words, word)
			rest = strings.TrimLeft(rest, " \t\r\n")
		}
		rest = strings.TrimPrefix(rest, ";")
		if len(words) == 0 || quoted || !isOpcode(words[0]) {
			return nil, &SyntaxError{"EPD operations", text, "have an operation without opcode: a letter, then up to 14 letters, digits or underscores"}
		}
		operations = append(operations, Operation{words[0], words[1:]})
	}
}

// isOpcode tells whether a word is an opcode.
func isOpcode(word string) bool {
	return word != "" && len(word) <= 15 && tagNameFault(word) == "" && (word[0] < '0' || word[0] > '9') && word[0] != '_'
}

// String returns the line: the position as Position.FEN writes it, without the counters, and the operations. Operands that
// hold anything but a plain word are put in quotes; a quote or a line end in one becomes "'" or a space.
func (e *EPD) String() string {
	fields, _ := cutFields(e.Position.FEN(), 4)
	var b strings.Builder
	b.WriteString(strings.Join(fields, " "))
	for _, op := range e.Operations {
		b.WriteString(" " + op.Opcode)
		for _, operand := range op.Operands {
			if operand == "" || strings.ContainsAny(operand, " \t\r\n;\"") {
				operand = `"` + strings.NewReplacer(`"`, "'", "\n", " ", "\r", " ").Replace(operand) + `"`
			}
			b.WriteString(" " + operand)
		}
		b.WriteByte(';')
	}
	return b.String()
}
