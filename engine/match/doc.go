// Package match plays engines against each other over UCI and says what the results prove: Elo with its error, likelihood of
// superiority, and a sequential probability ratio test that ends a match as soon as the answer is known.
//
// The runner keeps the clocks and the rules. An engine that crashes, hangs, exceeds its time or plays an illegal move
// loses that game and is counted; it is started anew and the match goes on.
package match
