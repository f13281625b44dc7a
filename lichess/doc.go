// Package lichess is a typed client of the Lichess Bot API.
//
// It has three parts:
//
//   - Wire types: what the server sends and accepts, one Go type for each JSON
//     shape. They marshal as faithfully as they unmarshal, so that a server
//     (see package sandbox) can be written on the same types. A field that may
//     be missing on the wire stays missing when its Go value is zero.
//   - Client: one method for each endpoint, with retries by the meaning of the
//     call, local knowledge of the server's limits, and typed errors
//     ([APIError], [LimitError]).
//   - Streams: [Client.Events] and [Client.Game] yield the typed events of one
//     connection and end with an error that says why; [Client.EventStream] and
//     [Client.GameStream] do the same across reconnects.
//
// The package knows formats, not chess: moves are UCI strings, positions are
// FEN strings.
package lichess
