package lichess

import (
	"net/http"
	"net/http/httptest"
	"os"
	"testing"
)

// BenchmarkMove is the cost of a move over loopback, with a warm connection.
func BenchmarkMove(b *testing.B) {
	server := httptest.NewServer(http.HandlerFunc(replies))
	defer server.Close()
	c, err := New(Options{URL: server.URL, Token: testToken})
	if err != nil {
		b.Fatal(err)
	}
	defer c.Close()
	for b.Loop() {
		if err := c.Move(b.Context(), "Ab3dEf9h", "e2e4", false); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkDecodeState is the cost of a line of a game stream.
func BenchmarkDecodeState(b *testing.B) {
	line, err := os.ReadFile(samplesDir + "/game-gameState-promotion.json")
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		DecodeGameEvent(line)
	}
}
