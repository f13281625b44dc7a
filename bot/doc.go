// Package bot is the daemon: it keeps one Lichess BOT account online, takes the challenges it is told to take, and plays
// every game to its end.
//
// Bot is the event loop. It owns the list of games and the slots, and nothing that can wait happens in it. Each game has one
// goroutine (type game) which owns all that is known of the game; searches and requests run beside it and come back to it as
// functions on its inbox, so nothing needs a lock. The server is the authority on every game: what its stream says last
// counts, and a move has been played when the stream shows it.
package bot
