// Package archive keeps the games of a bot as PGN files and counts what is in such files.
//
// [Archive] takes what the bot publishes and writes each game that has ended, with the headers that Lichess gives, the clocks that
// the bot saw and its own scores. It works beside the games: nobody who plays ever waits for the disk, and a fault of the disk
// costs a line in the log. A game in play stands in a file of its own in the folder "unfinished", from which a later run takes
// what it did not see itself.
//
// [Read] goes through such files, or any other PGN, for the figures of one account.
package archive
