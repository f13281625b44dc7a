package tablebase

import "encoding/binary"

// cursor reads a file from its start. Past the end it gives zeros and is short.
type cursor struct {
	data  []byte
	at    uint64
	short bool
}

// take returns the next n bytes, or nil when there are fewer.
func (c *cursor) take(n uint64) []byte {
	if n > uint64(len(c.data))-c.at {
		c.short = true
		c.at = uint64(len(c.data))
		return nil
	}
	c.at += n
	return c.data[c.at-n : c.at : c.at]
}

// align goes on to the next multiple of n.
func (c *cursor) align(n uint64) { c.take((n - c.at%n) % n) }

func (c *cursor) uint8() uint8 {
	if b := c.take(1); b != nil {
		return b[0]
	}
	return 0
}

func (c *cursor) uint16() uint16 {
	if b := c.take(2); b != nil {
		return binary.LittleEndian.Uint16(b)
	}
	return 0
}

func (c *cursor) uint32() uint32 {
	if b := c.take(4); b != nil {
		return binary.LittleEndian.Uint32(b)
	}
	return 0
}
