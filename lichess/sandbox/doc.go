// Package sandbox is a Lichess-compatible server in one process, on a real
// socket: what net/http/httptest is to net/http. Bots and people play on it by
// the Bot and Board APIs: accounts and tokens, challenges, event and game
// streams, clocks, offers, chat and PGN export behave as on Lichess, with the
// same replies, refusals and limits.
//
//	s := sandbox.New(sandbox.Options{})
//	s.AddAccount(sandbox.Account{Name: "Deep", Title: "BOT", Token: "deep"})
//	s.AddAccount(sandbox.Account{Name: "Mary", Token: "mary"})
//	if err := s.Start(); err != nil { … }
//	defer s.Close()
//	// Any Lichess bot client can now be pointed at s.URL.
//
// All durations are [Options] with the values of Lichess as default, and time
// itself can be replaced ([ManualClock]), so that no test has to wait.
//
// What it does not do: matchmaking, Swiss tournaments, the ranking and streaks
// of arenas, the server's own engine,
// variants other than standard, chess960 and fromPosition (challenges of the
// others can be made and declined, not played), and a lag measurement. Games
// stay in memory until Close or as [Options] says, settled challenges for three hours.
//
// State has one owner: everything below [Server] is guarded by its one mutex.
// Requests and timers hold it for the time of a map look-up and a chess move;
// nothing is written to a socket under it. A stream is a bounded queue that
// its own request drains, so that a slow reader loses lines but never stops a
// game.
package sandbox
