package tablebase

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// coding is how the values of one part are stored: by recursive pairing (Larsson and Moffat, "Off-line dictionary-based
// compression", 2000) and a canonical Huffman code. A symbol stands for one value or for two symbols, so for a run of values;
// blocks of equal size in bytes hold the codes of symbols, the highest bit of a byte first.
type coding struct {
	constant bool // there is one value only, and nothing is stored
	value    uint16

	count     uint64 // of values
	spanBits  uint   // logarithm of the values for each entry of the sparse index
	blockBits uint   // logarithm of a block's bytes
	blocks    uint64
	padding   uint64 // lengths behind those of the blocks

	sparse  []byte // for the middle of each span: its block, 4 bytes, and its place there, 2
	lengths []byte // of each block: values less one, 2 bytes
	data    []byte // the blocks, and what follows them in the file

	shortest uint     // least bits of a code
	codes    []uint64 // for each length from shortest on: the lowest code that is so long, from the highest bit down
	first    []uint16 // for each length: the symbol of that code
	symbols  []symbol
}

// symbol is a run of values. The run of one value has no parts, and left is the value.
type symbol struct {
	left, right uint16
	more        uint16 // values less one
}

const (
	oneValue    = 0x80  // flag of a coding
	noSymbol    = 0xfff // stands on the right of a symbol for one value
	mostBits    = 32    // of a code: the reader has so many at least
	mostSpan    = 30    // far more than there is in any file
	mostBlock   = 24    // the same
	sparseEntry = 6
	blockAlign  = 64
	checksum    = 16
)

var errShort = errors.New("it is cut off")

// read reads the flags of a part and how its values, count of them, are coded.
func (c *coding) read(r *cursor, count uint64) (flags uint8, err error) {
	flags = r.uint8()
	c.count = count
	if flags&oneValue != 0 {
		c.constant, c.value = true, uint16(r.uint8())
		return flags, nil
	}
	c.blockBits, c.spanBits = uint(r.uint8()), uint(r.uint8())
	c.padding, c.blocks = uint64(r.uint8()), uint64(r.uint32())
	longest := uint(r.uint8())
	c.shortest = uint(r.uint8())
	switch {
	case r.short:
		return 0, errShort
	case c.blockBits > mostBlock || c.spanBits > mostSpan || c.blocks == 0:
		return 0, fmt.Errorf("it has impossible blocks: %d of 2^%d bytes with an index for each 2^%d values", c.blocks, c.blockBits, c.spanBits)
	case c.shortest > longest || longest > mostBits:
		return 0, fmt.Errorf("it has impossible codes, of %d to %d bits", c.shortest, longest)
	}
	if err := c.readCodes(r, longest); err != nil {
		return 0, err
	}
	return flags, c.readSymbols(r)
}

// readCodes reads the first symbol of each length. From longer to shorter codes the numbers of symbols and codes go up, so the
// lowest code of a length follows from the one that is a bit longer.
func (c *coding) readCodes(r *cursor, longest uint) error {
	c.first = make([]uint16, longest-c.shortest+1)
	for i := range c.first {
		c.first[i] = r.uint16()
	}
	c.codes = make([]uint64, len(c.first))
	for i := len(c.codes) - 2; i >= 0; i-- {
		if c.first[i] < c.first[i+1] {
			return errors.New("its codes are out of order")
		}
		c.codes[i] = (c.codes[i+1] + uint64(c.first[i]-c.first[i+1])) / 2
	}
	for i := range c.codes {
		c.codes[i] <<= 64 - c.shortest - uint(i)
	}
	return nil
}

// readSymbols reads the symbols, three bytes each for twice twelve bits, and counts the values of each.
func (c *coding) readSymbols(r *cursor) error {
	n := uint64(r.uint16())
	raw := r.take(3 * n)
	r.take(n & 1)
	if r.short {
		return errShort
	}
	c.symbols = make([]symbol, n)
	for i := range c.symbols {
		b := raw[3*i:]
		s := symbol{left: uint16(b[0]) | uint16(b[1]&15)<<8, right: uint16(b[1])>>4 | uint16(b[2])<<4}
		if s.right != noSymbol && (uint64(s.left) >= n || uint64(s.right) >= n) {
			return fmt.Errorf("its symbol %d has a part that there is not", i)
		}
		c.symbols[i] = s
	}
	done := make([]bool, n)
	for i := range c.symbols {
		if err := c.measure(uint16(i), done, 0); err != nil {
			return err
		}
	}
	return nil
}

// measure counts the values of a symbol and of those in it. A run without end is found by its depth.
func (c *coding) measure(i uint16, done []bool, depth int) error {
	s := &c.symbols[i]
	if done[i] || s.right == noSymbol {
		return nil
	}
	if depth > len(c.symbols) {
		return fmt.Errorf("its symbol %d is a part of itself", i)
	}
	for _, part := range [2]uint16{s.left, s.right} {
		if err := c.measure(part, done, depth+1); err != nil {
			return err
		}
	}
	values := int(c.symbols[s.left].more) + int(c.symbols[s.right].more) + 2
	if values > 1<<16 {
		return fmt.Errorf("its symbol %d stands for more values than a block has", i)
	}
	s.more, done[i] = uint16(values-1), true
	return nil
}

// attachIndex, attachLengths and attachBlocks take what belongs to the part when the cursor comes to it.

func (c *coding) attachIndex(r *cursor) {
	if !c.constant {
		c.sparse = r.take((c.count + 1<<c.spanBits - 1) >> c.spanBits * sparseEntry)
	}
}

func (c *coding) attachLengths(r *cursor) {
	if !c.constant {
		c.lengths = r.take(2 * (c.blocks + c.padding))
	}
}

func (c *coding) attachBlocks(r *cursor) {
	if c.constant {
		return
	}
	r.align(blockAlign)
	from := r.at
	if r.take(c.blocks << c.blockBits); !r.short {
		c.data = r.data[from:]
	}
}

// at returns value i. It is false when the file is damaged there.
func (c *coding) at(i uint64) (value int, ok bool) {
	if c.constant {
		return int(c.value), true
	}
	if i >= c.count {
		return 0, false
	}
	block, offset, ok := c.find(i)
	if !ok {
		return 0, false
	}
	// Codes are taken from the top of window, in which there are more than 32 bits at the start of each round. Behind the last
	// block are a checksum's bytes, so the first eight are always there.
	data := c.data[block<<c.blockBits:]
	window, have := binary.BigEndian.Uint64(data), uint(64)
	next := 8
	for {
		n := 0
		for n < len(c.codes)-1 && window < c.codes[n] {
			n++
		}
		bits := c.shortest + uint(n)
		s := uint64(c.first[n]) + (window-c.codes[n])>>(64-bits)
		if s >= uint64(len(c.symbols)) {
			return 0, false
		}
		if values := int64(c.symbols[s].more) + 1; offset >= values {
			offset -= values
			window <<= bits
			if have -= bits; have <= 32 {
				if next+4 > len(data) {
					return 0, false
				}
				window |= uint64(binary.BigEndian.Uint32(data[next:])) << (32 - have)
				next, have = next+4, have+32
			}
			continue
		}
		for c.symbols[s].more > 0 {
			left := uint64(c.symbols[s].left)
			if values := int64(c.symbols[left].more) + 1; offset < values {
				s = left
			} else {
				offset -= values
				s = uint64(c.symbols[s].right)
			}
		}
		return int(c.symbols[s].left), true
	}
}

// find returns the block that holds value i, and the values before it there. The sparse index knows where the middle of a span
// is; from there it is a few blocks back or forward. The middle of the last span may be behind the last block: that is what the
// padding is for.
func (c *coding) find(i uint64) (block uint64, offset int64, ok bool) {
	entry := c.sparse[i>>c.spanBits*sparseEntry:]
	block = uint64(binary.LittleEndian.Uint32(entry))
	span := uint64(1) << c.spanBits
	offset = int64(binary.LittleEndian.Uint16(entry[4:])) + int64(i&(span-1)) - int64(span/2)
	lengths := c.blocks + c.padding
	for offset < 0 {
		block--
		if block >= lengths { // and so below none
			return 0, 0, false
		}
		offset += c.values(block)
	}
	for block < c.blocks {
		values := c.values(block)
		if offset < values {
			return block, offset, true
		}
		offset -= values
		block++
	}
	return 0, 0, false
}

// values is how many values a block holds.
func (c *coding) values(block uint64) int64 {
	return int64(binary.LittleEndian.Uint16(c.lengths[2*block:])) + 1
}
