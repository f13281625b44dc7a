// Package record writes down all that a program says to a Lichess server and hears from it, and reads it again.
//
// A recording is a folder of NDJSON files: one object a line, in the order in which things happened. The token is in none of
// them. A run of the program begins a file of its own and goes on to the next part when that one is full.
package record
