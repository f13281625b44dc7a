// Package uciclient runs chess engines as child processes and talks to them by the Universal Chess Interface (Stefan
// Meyer-Kahlen and Rudolf Huber, 2006).
//
// It is made for engines that nobody can vouch for: every wait has an end, whatever a process writes is bounded in
// memory, and a process that hangs is killed. It knows no rules of chess: positions are FEN, moves are texts, and whether
// a move is legal is for the caller to find out.
package uciclient
