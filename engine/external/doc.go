// Package external lets somebody else's UCI engine find the moves, and sees to it that there always is one: the engine of this module
// stands behind it and plays when the other crashes, hangs, answers what is no legal move, or would use up the clock.
//
// A game that has been let down a few times is played by our own engine to its end. Each failure is told in the log, with the end of what the
// other engine has written to its standard error.
package external
