package config

import (
	"net"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

// Every parser takes any text without a panic, and what it takes it writes in a form that it reads as the same.

type parser[T any] interface {
	*T
	Decode(string) error
	String() string
}

func fuzzRoundTrip[T any, P parser[T]](f *testing.F, check func(t *testing.T, input string, value T), seeds ...string) {
	for _, seed := range seeds {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, input string) {
		var first, second T
		err := P(&first).Decode(input)
		if err != nil {
			if message := err.Error(); strings.Contains(message, "\n") || len(message) > 500 || !utf8.ValidString(message) {
				t.Fatalf("a message of one readable line, not %q", message)
			}
			return
		}
		text := P(&first).String()
		if err := P(&second).Decode(text); err != nil {
			t.Fatalf("%q was read, and written as %q, which is not: %v", input, text, err)
		}
		if again := P(&second).String(); again != text {
			t.Fatalf("%q, written as %q, was read as %q", input, text, again)
		}
		check(t, input, first)
	})
}

func FuzzInt(f *testing.F) {
	fuzzRoundTrip(f, func(*testing.T, string, Int) {}, "0", "010", "-1", "+7", " 3 ", "0x1f", "1e3", "9999999999", "1_000", "")
}

func FuzzBool(f *testing.F) {
	fuzzRoundTrip(f, func(*testing.T, string, Bool) {}, "yes", "No", "ON", "off", "1", "0", "true", "FALSE", "y", "")
}

func FuzzDuration(f *testing.F) {
	fuzzRoundTrip(f, func(t *testing.T, input string, d Duration) {
		if parsed, err := time.ParseDuration(d.String()); err != nil || parsed != time.Duration(d) {
			t.Fatalf("%q was read as %d and written as %v", input, d, d)
		}
	}, "0", "90", "090", "5s", "200ms", "1h30m", "1h0m5s", "-3s", "9223372037", "9223372036", "1.5h", "µs", "")
}

func FuzzList(f *testing.F) {
	fuzzRoundTrip(f, func(t *testing.T, input string, l List) { checkItems(t, input, l) }, "a", "a, b,,c", " , ", "a,a", "")
}

func FuzzNames(f *testing.F) {
	fuzzRoundTrip(f, func(t *testing.T, input string, n Names) { checkItems(t, input, n) }, "alice", "@Bob-2, eve_", "al ice", "é", "@,@@a", "")
}

func FuzzHosts(f *testing.F) {
	fuzzRoundTrip(f, func(t *testing.T, input string, h Hosts) { checkItems(t, input, h) },
		"bot.example.org", "A.example, b-c,,castellan", "*", "*.example", "a..b", "-a", "bot.example:80", "127.0.0.1", "")
}

func FuzzClocks(f *testing.F) {
	fuzzRoundTrip(f, func(t *testing.T, input string, c Clocks) {
		for _, clock := range c {
			if clock.Limit < 0 || clock.Limit > 180*60 || clock.Increment < 0 || clock.Increment > 60 || clock.speed() == "ultraBullet" {
				t.Fatalf("%q was read as %+v", input, c)
			}
		}
	}, "3+2", "0.5+1, 1.5+0,180+60", "0+1", "1.6+40", "1e1+2", "NaN+1", "+Inf+1", "-1+2", "3+-2", "3", "")
}

func FuzzArenas(f *testing.F) {
	fuzzRoundTrip(f, func(t *testing.T, input string, a Arenas) { checkItems(t, input, a) },
		"hL7vMrFQ", "https://lichess.org/tournament/hL7vMrFQ, 9Xk2pQaZ", "http://127.0.0.1:8080/api/tournament/hL7vMrFQ", "hL7vMrF", "https://lichess.org/hL7vMrFQ", "")
}

func FuzzNamesFile(f *testing.F) {
	for _, seed := range []string{"alice\n# nobody\n@Bob-2, eve_ # two\n", "al ice\n", ",,\n", "#", "\xff", "a\r\nb\r\n", ""} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, content string) {
		names, err := parseNames(content)
		if err != nil {
			if message := err.Error(); strings.Contains(message, "\n") || len(message) > 500 || !utf8.ValidString(message) {
				t.Fatalf("a message of one readable line, not %q", message)
			}
			return
		}
		if len(names) > 0 {
			checkItems(t, content, names)
		}
	})
}

func FuzzPaths(f *testing.F) {
	fuzzRoundTrip(f, func(t *testing.T, input string, p Paths) { checkItems(t, input, p) }, "a.bin", "/a b.bin,./c.bin", ",")
}

func checkItems(t *testing.T, input string, items []string) {
	if len(items) == 0 || len(unique(items)) != len(items) || slices.ContainsFunc(items, func(item string) bool {
		return item == "" || strings.TrimSpace(item) != item || strings.Contains(item, ",")
	}) {
		t.Fatalf("%q was read as %q", input, items)
	}
}

func FuzzText(f *testing.F) {
	fuzzRoundTrip(f, func(t *testing.T, input string, text Text) {
		if string(text) != input {
			t.Fatalf("%q was read as %q", input, text)
		}
	}, "Good luck!", "Καλή τύχη", "a\nb", "\xff", "\u2028", "")
}

func FuzzCommand(f *testing.F) {
	fuzzRoundTrip(f, func(t *testing.T, input string, c Command) {
		if string(c) != input || strings.ContainsAny(input, "\r\n") {
			t.Fatalf("%q was read as %q", input, c)
		}
	}, "java -jar /opt/chess/engine.jar", "'/opt/my engine/run' --net=a.pb.gz", "a\tb", "a\nb", "\xff", "")
}

func FuzzURL(f *testing.F) {
	fuzzRoundTrip(f, func(t *testing.T, input string, u URL) {
		text := string(u)
		if strings.HasSuffix(text, "/") || strings.ContainsAny(text, "?#@ \n") {
			t.Fatalf("%q was read as %q", input, u)
		}
	}, "https://lichess.org", "http://localhost:8080/", "http://127.0.0.1", "http://[::1]:9/x", "https://a@b", "https://a?b#c", "ftp://x", "https://", "//x", "https:///x", "")
}

func FuzzAddr(f *testing.F) {
	fuzzRoundTrip(f, func(t *testing.T, input string, a Addr) {
		if host, port, err := net.SplitHostPort(string(a)); err != nil || host == "" || port == "" {
			t.Fatalf("%q was read as %q", input, a)
		}
	}, "8080", ":8080", "0.0.0.0:0", "[::1]:9464", "localhost:80", "localhost", "::1:80", "x:65536", "x:080", "a b:80", "", ":", "[::]:")
}

func FuzzSecretFile(f *testing.F) {
	f.Add([]byte("abc_123\n"))
	f.Add([]byte("a b"))
	f.Add([]byte("\n"))
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, content []byte) {
		secret, err := parseSecretFile(content)
		if err != nil {
			if secret.IsSet() {
				t.Fatal("an error and a secret")
			}
			return
		}
		if text := secret.Reveal(); text == "" || !strings.HasPrefix(string(content), text) || len(strings.Fields(text)) != 1 {
			t.Fatalf("%q was read as %q", content, text)
		}
	})
}

func FuzzUnknownVariable(f *testing.F) {
	f.Add("CASTELLAN_TOKNE")
	f.Add("CASTELLAN_PORT_80_TCP")
	f.Add("CASTELLAN_")
	f.Add("castellan_\xff\n")
	var cfg Config
	settings := cfg.settings()
	f.Fuzz(func(t *testing.T, name string) {
		for _, fault := range unknownVariables([]string{name + "=hush"}, settings) {
			if message := fault.String(); strings.Contains(message, "hush") && !strings.Contains(name, "hush") || len(message) > 300 ||
				strings.Contains(message, "\n") || !utf8.ValidString(message) {
				t.Fatalf("%q", message)
			}
		}
	})
}
