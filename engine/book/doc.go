// Package book reads and makes opening books in the Polyglot format.
//
// The format is Fabien Letouzey's, of the program PolyGlot; H. G. Muller's page "PolyGlot Book Format"
// (http://hgm.nubati.net/book_format.html) describes it and has nine positions with their keys. A book is a file of entries
// of 16 bytes, big-endian, sorted by key:
//
//	offset  bytes
//	     0      8  key of the position, see Key
//	     8      2  move, see packMove
//	    10      2  weight: how much the move is to be preferred; 0 is never to be played
//	    12      4  for programs that learn; not used here, written as 0
//
// Open checks a file from end to end once; after that each question is a binary search in the open file, and nothing of it
// is held in memory. Books asks several files in order and chooses among the moves. Builder makes a book from games.
package book
