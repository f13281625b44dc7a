package main

import (
	"encoding/json"
	"io"
	"math"
)

// printJSON writes a value for programs, readable for people too.
func printJSON(to io.Writer, v any) error {
	out := json.NewEncoder(to)
	out.SetIndent("", "  ")
	out.SetEscapeHTML(false)
	return out.Encode(v)
}

// finite is a number for JSON, which knows no infinity: null in its place.
func finite(v float64) *float64 {
	if math.IsInf(v, 0) || math.IsNaN(v) {
		return nil
	}
	v += 0 // makes 0 of -0
	return &v
}
