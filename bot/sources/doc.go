// Package sources asks elsewhere for a move before anybody thinks: opening books, and online the opening explorer, the cloud
// evaluations and the endgame tables of Lichess, in the order that it is told.
//
// Nothing is believed: a move from outside is played when it is legal by our own rules, and when it repeats no position of the game; only
// the endgame tables may repeat one on the way, and count a third occurrence as the draw that it is. Nothing is waited for beyond a small part of the clock, and what has not answered a few times is not asked again in that game. Then, and whenever
// there is no answer, the engine behind thinks with the time that is left.
package sources
