// Package replay is a server that says again what a server said in a recording, to a client that may decide otherwise this time, and
// puts the decisions of then and now side by side.
//
// It goes through the recording in order. A line of a stream is sent when the client has opened that stream; a recorded decision is
// waited for. So each decision is made knowing what it was made on in the first place, whatever came of the others.
package replay
