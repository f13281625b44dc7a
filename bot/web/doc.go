// Package web is what Castellan shows in a browser: pages, scripts and pieces that are part of the program, need no build and
// load nothing from elsewhere.
//
// [NewPlay] is the page on which a person plays. It speaks the Board API of the server that it came from, as any other client
// would; what it knows of the rules of chess it asks at /rules. The board (assets/board.js with pieces.js) knows neither
// Lichess nor the page around it: it shows a FEN and tells which square was chosen for which man.
//
// Everything is served under a Content-Security-Policy that allows the program's own files alone and no inline script or
// style, and Trusted Types keep text from being read as HTML, so that a name, a chat line or a FEN stays text.
package web
