// Package watch is what a bot tells about itself while it plays: the events that it publishes, and [State], the one place that
// keeps what came of them. The status page, the readiness check and the metrics read from State or take the events; the files of
// games take the events alone. Facts go one way: nothing here is ever asked by the bot.
//
// All values are to be read only. Whoever gets one may keep it as long as he likes.
package watch
