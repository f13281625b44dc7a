package web

import (
	"net/http"
	"net/http/httptest"
	"testing"
)

func TestKnownHosts(t *testing.T) {
	server := http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})
	for _, test := range []struct {
		host  string
		names []string
		want  int
	}{
		{"localhost:8080", nil, 200}, {"LOCALHOST", nil, 200}, {"localhost.", nil, 200}, {"127.0.0.1", nil, 200}, {"[::1]:80", nil, 200}, {"[::1]", nil, 200},
		{"192.168.1.5:8080", nil, 200}, {"[fe80::1]:8080", nil, 200},
		{"evil.example:8080", nil, 403}, {"localhost.evil.example", nil, 403}, {"127.0.0.1.evil.example", nil, 403}, {"1", nil, 403}, {"", nil, 403},
		{"", []string{""}, 403}, {":80", []string{""}, 403},
		{"Bot.example:8080", []string{"bot.example"}, 200}, {"bot.example.", []string{"", "bot.example"}, 200}, {"x.bot.example", []string{"bot.example"}, 403},
		{"evil.example", []string{"*"}, 200}, {"evil.example", []string{"*.example"}, 403},
	} {
		reply := httptest.NewRecorder()
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.Host = test.host
		KnownHosts(server, test.names, "do something").ServeHTTP(reply, r)
		if reply.Code != test.want {
			t.Errorf("host %q with the names %q: %d, want %d", test.host, test.names, reply.Code, test.want)
		}
	}
}
