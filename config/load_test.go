package config

import (
	"errors"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestLoadDefaults(t *testing.T) {
	setEnv(t, nil)
	cfg, err := Load()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range cfg.Settings() {
		if s.Value != s.Default {
			t.Errorf("%s: value %q, but the documented default is %q", s.Variable, s.Value, s.Default)
		}
	}
	if cfg.MaxGames != 4 || cfg.URL != "https://lichess.org" || time.Duration(cfg.AbortAfter) != 30*time.Second {
		t.Errorf("defaults: %+v", cfg)
	}
}

func TestLoadReadsEverything(t *testing.T) {
	env := map[string]string{"CASTELLAN_TOKEN_FILE": ""}
	cfg, _ := Load()
	for _, s := range cfg.Settings() {
		if s.Variable != variableTokenFile && s.Variable != variableExplorerTokenFile { // two ways to give a token are a fault
			env[s.Variable] = s.Example
		}
	}
	setEnv(t, env)
	cfg, err := LoadOnline()
	if err != nil {
		t.Fatalf("the documented examples together: %v", err)
	}
	for _, s := range cfg.Settings() {
		switch {
		case s.Kind == "secret":
			if cfg.Token.Reveal() != s.Example && cfg.Explorer.Token.Reveal() != s.Example && cfg.ArenaPassword.Reveal() != s.Example {
				t.Errorf("%s was not read", s.Variable)
			}
		case s.Variable == "CASTELLAN_ARENAS": // addresses are read as ids
			if s.Value != "hL7vMrFQ,9Xk2pQaZ" {
				t.Errorf("%s was read as %q", s.Variable, s.Value)
			}
		case s.Variable == variableTokenFile, s.Variable == variableExplorerTokenFile:
		case s.Value != s.Example && s.Value != strings.ToLower(s.Example):
			t.Errorf("%s=%q was read as %q", s.Variable, s.Example, s.Value)
		case s.Value == s.Default:
			t.Errorf("%s: the example is the default, which shows nothing", s.Variable)
		}
	}
}

func TestLoadForms(t *testing.T) {
	for _, test := range []struct {
		variable, value string
		got             func(Config) any
		want            any
	}{
		{"CASTELLAN_MAX_GAMES", "010", func(c Config) any { return c.MaxGames }, Int(10)},
		{"CASTELLAN_MAX_GAMES", " 7 ", func(c Config) any { return c.MaxGames }, Int(7)},
		{"CASTELLAN_MAX_GAMES", "", func(c Config) any { return c.MaxGames }, Int(4)},
		{"CASTELLAN_RESIGN_SCORE", "-0800", func(c Config) any { return c.Resign.Score }, Int(-800)},
		{"CASTELLAN_PONDER", "ON", func(c Config) any { return c.Ponder }, Bool(true)},
		{"CASTELLAN_PONDER", "1", func(c Config) any { return c.Ponder }, Bool(true)},
		{"CASTELLAN_DRAW_OFFER", "off", func(c Config) any { return c.Draw.Offer }, Bool(false)},
		{"CASTELLAN_DRAW_OFFER", "No", func(c Config) any { return c.Draw.Offer }, Bool(false)},
		{"CASTELLAN_ACCEPT_BASE_MAX", "0300", func(c Config) any { return c.Accept.BaseMax }, Duration(5 * time.Minute)},
		{"CASTELLAN_ACCEPT_BASE_MAX", "1h30m", func(c Config) any { return c.Accept.BaseMax }, Duration(90 * time.Minute)},
		{"CASTELLAN_MOVE_OVERHEAD", "350ms", func(c Config) any { return c.MoveOverhead }, Duration(350 * time.Millisecond)},
		{"CASTELLAN_ABORT_AFTER", "0", func(c Config) any { return c.AbortAfter }, Duration(0)},
		{"CASTELLAN_LOG_LEVEL", "WARN", func(c Config) any { return c.Log.Level }, Choice("warn")},
		{"CASTELLAN_ACCEPT_SPEEDS", " Rapid , blitz,,rapid", func(c Config) any { return c.Accept.Speeds }, List{"rapid", "blitz"}},
		{"CASTELLAN_ACCEPT_VARIANTS", "FROMPOSITION", func(c Config) any { return c.Accept.Variants }, List{"fromPosition"}},
		{"CASTELLAN_ACCEPT_BLOCK_LIST", "Mallory, @EVE ,mallory", func(c Config) any { return c.AcceptBlockList }, Names{"mallory", "eve"}},
		{"CASTELLAN_ACCEPT_CLOCKS", "3+2, 0.5+1,3+2,1.5+0", func(c Config) any { return c.Accept.Clocks }, Clocks{{180, 2}, {30, 1}, {90, 0}}},
		// What is not set for one kind of opponents is as for all, also when that is set.
		{"CASTELLAN_ACCEPT_SPEEDS", "blitz", func(c Config) any { return c.AcceptBots.Speeds }, List{"blitz"}},
		{"CASTELLAN_ACCEPT_BOTS_SPEEDS", "blitz", func(c Config) any { return c.AcceptBots.Speeds }, List{"blitz"}},
		{"CASTELLAN_ACCEPT_BOTS_SPEEDS", "blitz", func(c Config) any { return len(c.Accept.Speeds) + len(c.AcceptHumans.Speeds) }, 10},
		{"CASTELLAN_ACCEPT_BOTS_UNLIMITED", "yes", func(c Config) any {
			return []Bool{c.Accept.Unlimited, c.AcceptHumans.Unlimited, c.AcceptBots.Unlimited}
		}, []Bool{false, false, true}},
		{"CASTELLAN_ACCEPT_RATING_MIN", "1000", func(c Config) any { return []Int{c.Accept.RatingMin, c.AcceptHumans.RatingMin, c.AcceptBots.RatingMin} }, []Int{1000, 1000, 1000}},
		{"CASTELLAN_ACCEPT_HUMANS_OPPONENT_PAUSE", "5m", func(c Config) any { return c.AcceptHumans.OpponentPause }, Duration(5 * time.Minute)},
		{"CASTELLAN_ARENAS", "hL7vMrFQ, https://lichess.org/tournament/9Xk2pQaZ,hL7vMrFQ", func(c Config) any { return c.Arenas }, Arenas{"hL7vMrFQ", "9Xk2pQaZ"}},
		{"CASTELLAN_ARENA_PASSWORD", "open sesame", func(c Config) any { return c.ArenaPassword.Reveal() }, "open sesame"},
		{"CASTELLAN_BOOK", " own.bin, /Books/My Book.bin ,,own.bin", func(c Config) any { return c.Book }, Paths{"own.bin", "/Books/My Book.bin"}},
		{"CASTELLAN_SYZYGY_PATH", "/tables/345,/tables/6 men", func(c Config) any { return c.SyzygyPath }, Folders{"/tables/345", "/tables/6 men"}},
		{"CASTELLAN_SOURCES", "Tablebase, BOOK,,tablebase", func(c Config) any { return c.Sources }, List{"tablebase", "book"}},
		{"CASTELLAN_BOOK_CHOICE", "Best", func(c Config) any { return c.BookChoice }, Choice("best")},
		{"CASTELLAN_BOOK_DEPTH", "20", func(c Config) any { return c.BookDepth }, Int(20)},
		{"CASTELLAN_BOOK_MIN_WEIGHT", "0", func(c Config) any { return c.BookMinWeight }, Int(0)},
		{"CASTELLAN_CHAT_GREETING", "Καλή τύχη, have fun!", func(c Config) any { return c.Chat.Greeting }, Text("Καλή τύχη, have fun!")},
		{"CASTELLAN_CHAT_GREETING", strings.Repeat("é", 140), func(c Config) any { return len(c.Chat.Greeting) }, 280},
		{"CASTELLAN_ENGINE", "java -jar /opt/chess/cuckoo.jar", func(c Config) any { return c.Engine }, Command("java -jar /opt/chess/cuckoo.jar")},
		{"CASTELLAN_ENGINE", "python3 /opt/bot/engine.py", func(c Config) any { return c.Engine }, Command("python3 /opt/bot/engine.py")},
		{"CASTELLAN_ENGINE", "/opt/sf/stockfish.exe", func(c Config) any { return c.Engine }, Command("/opt/sf/stockfish.exe")},
		{"CASTELLAN_ENGINE", "lc0 --weights=/nets/t1.pb.gz", func(c Config) any { return c.Engine }, Command("lc0 --weights=/nets/t1.pb.gz")},
		{"CASTELLAN_ENGINE", "www.engine https://x.org", func(c Config) any { return c.Engine }, Command("www.engine https://x.org")},
		{"CASTELLAN_STATUS_ADDR", "8080", func(c Config) any { return c.StatusAddr }, Addr("127.0.0.1:8080")},
		{"CASTELLAN_STATUS_ADDR", ":0", func(c Config) any { return c.StatusAddr }, Addr("127.0.0.1:0")},
		{"CASTELLAN_STATUS_HOSTS", "Bot.Example.org, castellan,,castellan", func(c Config) any { return c.StatusHosts }, Hosts{"bot.example.org", "castellan"}},
		{"CASTELLAN_STATUS_HOSTS", "*", func(c Config) any { return c.StatusHosts }, Hosts{"*"}},
		{"CASTELLAN_METRICS_ADDR", "0.0.0.0:9464", func(c Config) any { return c.MetricsAddr }, Addr("0.0.0.0:9464")},
		{"CASTELLAN_METRICS_ADDR", "[::1]:9464", func(c Config) any { return c.MetricsAddr }, Addr("[::1]:9464")},
		{"CASTELLAN_URL", "https://lichess.dev/", func(c Config) any { return c.URL }, URL("https://lichess.dev")},
		{"CASTELLAN_URL", "http://localhost:8080", func(c Config) any { return c.URL }, URL("http://localhost:8080")},
		{"CASTELLAN_URL", "http://127.0.0.2:9/base/", func(c Config) any { return c.URL }, URL("http://127.0.0.2:9/base")},
		{"CASTELLAN_URL", "http://[::1]:8080", func(c Config) any { return c.URL }, URL("http://[::1]:8080")},
		{"LICHESS_BOT_TOKEN", "abc_123", func(c Config) any { return c.Token.Reveal() }, "abc_123"},
	} {
		t.Run(test.variable+"="+test.value, func(t *testing.T) {
			setEnv(t, map[string]string{test.variable: test.value})
			cfg, err := Load()
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, test.got(cfg)); diff != "" {
				t.Errorf("want (-), got (+):\n%s", diff)
			}
		})
	}
}

func TestLoadFaults(t *testing.T) {
	for _, test := range []struct {
		env  map[string]string
		want []string // the lines of faults, in order
	}{
		{map[string]string{"CASTELLAN_MAX_GAMES": "many"},
			[]string{`CASTELLAN_MAX_GAMES="many": is not a whole number; legal: a whole number from 1 to 200`}},
		{map[string]string{"CASTELLAN_MAX_GAMES": "0"},
			[]string{`CASTELLAN_MAX_GAMES="0": is too small; legal: a whole number from 1 to 200`}},
		{map[string]string{"CASTELLAN_MAX_GAMES": "201"},
			[]string{`CASTELLAN_MAX_GAMES="201": is too large; legal: a whole number from 1 to 200`}},
		{map[string]string{"CASTELLAN_MAX_GAMES": "0x10"},
			[]string{`CASTELLAN_MAX_GAMES="0x10": is not a whole number; legal: a whole number from 1 to 200`}},
		{map[string]string{"CASTELLAN_HASH_MB": "99999999999999999999"},
			[]string{`CASTELLAN_HASH_MB="99999999999999999999": is out of range; legal: a whole number from 0 to 65536`}},
		{map[string]string{"CASTELLAN_PONDER": "maybe"},
			[]string{`CASTELLAN_PONDER="maybe": is neither yes nor no; legal: yes or no`}},
		{map[string]string{"CASTELLAN_MOVE_OVERHEAD": "300"}, // milliseconds were meant
			[]string{`CASTELLAN_MOVE_OVERHEAD="300": is 5m, which is too long; legal: from 0s to 10s`}},
		{map[string]string{"CASTELLAN_MOVE_OVERHEAD": "fast"},
			[]string{`CASTELLAN_MOVE_OVERHEAD="fast": is not a length of time such as 90, 200ms, 1m30s or 2h; legal: from 0s to 10s`}},
		{map[string]string{"CASTELLAN_SHUTDOWN_LIMIT": "-5m"},
			[]string{`CASTELLAN_SHUTDOWN_LIMIT="-5m": is -5m, which is too short; legal: from 1s to 24h`}},
		{map[string]string{"CASTELLAN_ABORT_AFTER": "-1"},
			[]string{`CASTELLAN_ABORT_AFTER="-1": is out of range; legal: from 0s to 24h`}},
		{map[string]string{"CASTELLAN_LOG_FORMAT": "xml"},
			[]string{`CASTELLAN_LOG_FORMAT="xml": is not known; legal: one of auto, text, json`}},
		{map[string]string{"CASTELLAN_ACCEPT_CLOCKS": "3+2,1.66+0"}, // 100 seconds
			[]string{`CASTELLAN_ACCEPT_CLOCKS="3+2,1.66+0": "1.66+0" has a base time that the server does not take; legal: ` + clocksLegal}},
		{map[string]string{"CASTELLAN_ACCEPT_CLOCKS": "3+61"},
			[]string{`CASTELLAN_ACCEPT_CLOCKS="3+61": "3+61" has an increment that the server does not take; legal: ` + clocksLegal}},
		{map[string]string{"CASTELLAN_ACCEPT_CLOCKS": "0.25+0"},
			[]string{`CASTELLAN_ACCEPT_CLOCKS="0.25+0": "0.25+0" is ultrabullet, which is closed to bots; legal: ` + clocksLegal}},
		{map[string]string{"CASTELLAN_ACCEPT_CLOCKS": "blitz"},
			[]string{`CASTELLAN_ACCEPT_CLOCKS="blitz": "blitz" is no clock; legal: ` + clocksLegal}},
		{map[string]string{"CASTELLAN_ACCEPT_CLOCKS": "3+2", "CASTELLAN_ACCEPT_SPEEDS": "rapid"},
			[]string{`CASTELLAN_ACCEPT_CLOCKS="3+2": is blitz, which CASTELLAN_ACCEPT_SPEEDS leaves out`}},
		{map[string]string{"CASTELLAN_ACCEPT_CLOCKS": "3+2", "CASTELLAN_ACCEPT_BOTS_SPEEDS": "rapid"},
			[]string{`CASTELLAN_ACCEPT_BOTS_CLOCKS="3+2": is blitz, which CASTELLAN_ACCEPT_BOTS_SPEEDS leaves out`}},
		{map[string]string{"CASTELLAN_ACCEPT_CLOCKS": "3+2", "CASTELLAN_ACCEPT_BASE_MIN": "5m"},
			[]string{`CASTELLAN_ACCEPT_CLOCKS="3+2": has a base time outside CASTELLAN_ACCEPT_BASE_MIN and _MAX`}},
		{map[string]string{"CASTELLAN_ACCEPT_CLOCKS": "3+2", "CASTELLAN_ACCEPT_INCREMENT_MAX": "1"},
			[]string{`CASTELLAN_ACCEPT_CLOCKS="3+2": has an increment outside CASTELLAN_ACCEPT_INCREMENT_MIN and _MAX`}},
		{map[string]string{"CASTELLAN_ACCEPT_CLOCKS": "1+0", "CASTELLAN_ACCEPT_BULLET_INCREMENT": "yes"},
			[]string{`CASTELLAN_ACCEPT_CLOCKS="1+0": has no increment, which CASTELLAN_ACCEPT_BULLET_INCREMENT wants`}},
		{map[string]string{"CASTELLAN_ACCEPT_HUMANS_BASE_MIN": "5m", "CASTELLAN_ACCEPT_BASE_MAX": "3m"},
			[]string{`CASTELLAN_ACCEPT_HUMANS_BASE_MIN="5m": is more than CASTELLAN_ACCEPT_HUMANS_BASE_MAX="3m"`}},
		{map[string]string{"CASTELLAN_ACCEPT_RATING_MIN": "2000", "CASTELLAN_ACCEPT_RATING_MAX": "1000"},
			[]string{`CASTELLAN_ACCEPT_RATING_MIN="2000": is more than CASTELLAN_ACCEPT_RATING_MAX="1000"`}},
		{map[string]string{"CASTELLAN_HUMAN_PLACES": "4", "CASTELLAN_MATCHMAKING_ENABLED": "yes"},
			[]string{`CASTELLAN_MATCHMAKING_ENABLED="yes": CASTELLAN_HUMAN_PLACES leaves no place for a bot`}},
		{map[string]string{"CASTELLAN_HUMAN_PLACES": "4", "CASTELLAN_ARENAS": "hL7vMrFQ"},
			[]string{`CASTELLAN_ARENAS="hL7vMrFQ": CASTELLAN_HUMAN_PLACES leaves no place for a game of an arena`}},
		{map[string]string{"CASTELLAN_MATCHMAKING_RATING_MIN": "4", "CASTELLAN_MATCHMAKING_RATING_MAX": "3", "CASTELLAN_MATCHMAKING_ENABLED": "yes"},
			[]string{`CASTELLAN_MATCHMAKING_RATING_MIN="4": is more than CASTELLAN_MATCHMAKING_RATING_MAX="3"`}},
		{map[string]string{"CASTELLAN_MATCHMAKING_CLOCKS": "3+2,1.66+0"}, // 100 seconds
			[]string{`CASTELLAN_MATCHMAKING_CLOCKS="3+2,1.66+0": "1.66+0" has a base time that the server does not take; legal: ` + clocksLegal}},
		{map[string]string{"CASTELLAN_ARENAS": "hL7vMrFQ,Hourly"},
			[]string{`CASTELLAN_ARENAS="hL7vMrFQ,Hourly": "Hourly" is no arena; legal: ids of 8 letters and digits, or addresses that end in one, separated by commas`}},
		{map[string]string{"CASTELLAN_HUMAN_PLACES": "5"},
			[]string{`CASTELLAN_HUMAN_PLACES="5": is more than CASTELLAN_MAX_GAMES="4"`}},
		{map[string]string{"CASTELLAN_ENGINE": "engine\nuci"},
			[]string{`CASTELLAN_ENGINE="engine\nuci": holds a line break or another control character; legal: a program and its arguments: one line of at most 4096 characters`}},
		{map[string]string{"CASTELLAN_ENGINE": "engine" + strings.Repeat("!", 4091), "CASTELLAN_ENGINE_OPTIONS": "Hash=1"},
			[]string{`CASTELLAN_ENGINE=` + quote("engine"+strings.Repeat("!", 4091)) + `: has 4097 characters; legal: a program and its arguments: one line of at most 4096 characters`}},
		{map[string]string{"CASTELLAN_ACCEPT_SPEEDS": "blitz,blits"},
			[]string{`CASTELLAN_ACCEPT_SPEEDS="blitz,blits": "blits" is not known; legal: some of bullet, blitz, rapid, classical, correspondence, separated by commas`}},
		{map[string]string{"CASTELLAN_ACCEPT_SPEEDS": " , "},
			[]string{`CASTELLAN_ACCEPT_SPEEDS=" , ": is a list without an item; legal: some of bullet, blitz, rapid, classical, correspondence, separated by commas`}},
		{map[string]string{"CASTELLAN_ACCEPT_BLOCK_LIST": "bob,al ice"},
			[]string{`CASTELLAN_ACCEPT_BLOCK_LIST="bob,al ice": "al ice" is no account name; legal: account names separated by commas`}},
		{map[string]string{"CASTELLAN_ACCEPT_ALLOW_LIST": "Bob,eve", "CASTELLAN_ACCEPT_BLOCK_LIST": "EVE"},
			[]string{`CASTELLAN_ACCEPT_ALLOW_LIST: "eve" is in CASTELLAN_ACCEPT_BLOCK_LIST too`}},
		{map[string]string{"CASTELLAN_ACCEPT_BASE_MIN": "10m", "CASTELLAN_ACCEPT_BASE_MAX": "300"},
			[]string{`CASTELLAN_ACCEPT_BASE_MIN="10m": is more than CASTELLAN_ACCEPT_BASE_MAX="5m"`}},
		{map[string]string{"CASTELLAN_ACCEPT_INCREMENT_MIN": "5", "CASTELLAN_ACCEPT_INCREMENT_MAX": "4"},
			[]string{`CASTELLAN_ACCEPT_INCREMENT_MIN="5s": is more than CASTELLAN_ACCEPT_INCREMENT_MAX="4s"`}},
		{map[string]string{"CASTELLAN_ACCEPT_DAYS_MIN": "7", "CASTELLAN_ACCEPT_DAYS_MAX": "3"},
			[]string{`CASTELLAN_ACCEPT_DAYS_MIN="7": is more than CASTELLAN_ACCEPT_DAYS_MAX="3"`}},
		{map[string]string{"CASTELLAN_ACCEPT_UNLIMITED": "yes", "CASTELLAN_ACCEPT_SPEEDS": "blitz"},
			[]string{`CASTELLAN_ACCEPT_UNLIMITED="yes": such games are of the speed correspondence, which CASTELLAN_ACCEPT_SPEEDS leaves out`}},
		{map[string]string{"CASTELLAN_CHAT_FAREWELL": strings.Repeat("é", 141)},
			[]string{`CASTELLAN_CHAT_FAREWELL="` + strings.Repeat("é", 30) + `"...: has 141 characters; legal: one line of at most 140 characters, without links; in braces me, opponent, engine, version`}},
		{map[string]string{"CASTELLAN_CHAT_GREETING": "two\nlines"},
			[]string{`CASTELLAN_CHAT_GREETING="two\nlines": holds a line break or another control character; legal: one line of at most 140 characters, without links; in braces me, opponent, engine, version`}},
		{map[string]string{"CASTELLAN_CHAT_GREETING": "Read https://example.org first"},
			[]string{`CASTELLAN_CHAT_GREETING="Read https://example.org first": has what looks like a link; legal: one line of at most 140 characters, without links; in braces me, opponent, engine, version`}},
		{map[string]string{"CASTELLAN_CHAT_FAREWELL": "I live at Example.Org"},
			[]string{`CASTELLAN_CHAT_FAREWELL="I live at Example.Org": has what looks like a link; legal: one line of at most 140 characters, without links; in braces me, opponent, engine, version`}},
		{map[string]string{"CASTELLAN_CHAT_GREETING": "hi {oponent} {cpu}"},
			[]string{`CASTELLAN_CHAT_GREETING="hi {oponent} {cpu}": "{oponent}" stands for nothing; did you mean {opponent}?; legal: one line of at most 140 characters, without links; in braces me, opponent, engine, version`}},
		{map[string]string{"CASTELLAN_CHAT_FAREWELL": "{me} runs on {processor}"},
			[]string{`CASTELLAN_CHAT_FAREWELL="{me} runs on {processor}": "{processor}" stands for nothing; legal: one line of at most 140 characters, without links; in braces me, opponent, engine, version`}},
		{map[string]string{"CASTELLAN_CHAT_GREETING": "\xff"},
			[]string{`CASTELLAN_CHAT_GREETING="\xff": is not valid UTF-8; legal: one line of at most 140 characters, without links; in braces me, opponent, engine, version`}},
		{map[string]string{"CASTELLAN_STATUS_ADDR": "0.0.0.0:080", "CASTELLAN_METRICS_ADDR": "lichess.org"}, []string{
			`CASTELLAN_STATUS_ADDR="0.0.0.0:080": has no port from 0 to 65535; legal: HOST:PORT, or PORT for this machine alone; port 0 is a free one`,
			`CASTELLAN_METRICS_ADDR="lichess.org": is not HOST:PORT; legal: HOST:PORT, or PORT for this machine alone; port 0 is a free one`}},
		{map[string]string{"CASTELLAN_STATUS_HOSTS": "bot.example:80"},
			[]string{`CASTELLAN_STATUS_HOSTS="bot.example:80": "bot.example:80" is no host name; legal: host names without a port, separated by commas, or * for any`}},
		{map[string]string{"CASTELLAN_STATUS_ADDR": "8080", "CASTELLAN_METRICS_ADDR": "127.0.0.1:8080"},
			[]string{`CASTELLAN_METRICS_ADDR="127.0.0.1:8080": is CASTELLAN_STATUS_ADDR too, where all of it is anyway`}},
		{map[string]string{"CASTELLAN_URL": "http://lichess.org"},
			[]string{`CASTELLAN_URL="http://lichess.org": is not https, so anybody on the way could read the token; legal: https://host, or http:// and localhost or a loopback address`}},
		{map[string]string{"CASTELLAN_URL": "http://localhost.example.org"},
			[]string{`CASTELLAN_URL="http://localhost.example.org": is not https, so anybody on the way could read the token; legal: https://host, or http:// and localhost or a loopback address`}},
		{map[string]string{"CASTELLAN_URL": "lichess.org"},
			[]string{`CASTELLAN_URL="lichess.org": is not a URL with a scheme and a host; legal: https://host, or http:// and localhost or a loopback address`}},
		{map[string]string{"CASTELLAN_URL": "ftp://lichess.org"},
			[]string{`CASTELLAN_URL="ftp://lichess.org": is neither https nor http; legal: https://host, or http:// and localhost or a loopback address`}},
		{map[string]string{"CASTELLAN_URL": "https://lichess.org/?a=b"},
			[]string{`CASTELLAN_URL="https://lichess.org/?a=b": holds a query or a fragment; legal: https://host, or http:// and localhost or a loopback address`}},
		{map[string]string{"CASTELLAN_MAXGAMES": "3"},
			[]string{`CASTELLAN_MAXGAMES: no such setting; did you mean CASTELLAN_MAX_GAMES?`}},
		{map[string]string{"castellan_max_games": "3"},
			[]string{`castellan_max_games: no such setting; did you mean CASTELLAN_MAX_GAMES?`}},
		{map[string]string{"CASTELLAN_MATCHMAKING": "yes"},
			[]string{`CASTELLAN_MATCHMAKING: no such setting; did you mean CASTELLAN_MATCHMAKING_ENABLED?`}},
		{map[string]string{"CASTELLAN_DRAW_OFFER_ENABLED": "no"},
			[]string{`CASTELLAN_DRAW_OFFER_ENABLED: no such setting; did you mean CASTELLAN_DRAW_OFFER?`}},
		{map[string]string{"CASTELLAN_ACCEPT_HUMANS_OPPONENTS": "bot"},
			[]string{`CASTELLAN_ACCEPT_HUMANS_OPPONENTS: no such setting; did you mean CASTELLAN_ACCEPT_OPPONENTS?`}},
		{map[string]string{"CASTELLAN_QUARTERDECK_LANTERNS": "3"},
			[]string{"CASTELLAN_QUARTERDECK_LANTERNS: no such setting; `castellan config` lists all"}},
		{map[string]string{"CASTELLAN_" + strings.Repeat("X", 1<<16): "3"},
			[]string{"CASTELLAN_" + strings.Repeat("X", 50) + "...: no such setting; `castellan config` lists all"}},
	} {
		t.Run(strings.Join(slices.Sorted(maps.Keys(test.env)), " ")[:12], func(t *testing.T) {
			setEnv(t, test.env)
			_, err := Load()
			faults, _ := errors.AsType[Faults](err)
			var got []string
			for _, fault := range faults {
				got = append(got, fault.String())
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("want (-), got (+):\n%s", diff)
			}
			if len(faults) == 1 && strings.Contains(err.Error(), "\n") {
				t.Errorf("one fault is one line, not:\n%s", err)
			}
		})
	}
}

func TestLoadTellsAllFaultsAtOnce(t *testing.T) {
	// Every setting that can be wrong is, each in its own way.
	wrong := map[string]string{"CASTELLAN_LOG_LEVLE": "debug", "CASTELLAN_TOKEN_FILE": "/nowhere/token"}
	cfg, _ := Load()
	for _, s := range cfg.Settings() {
		switch s.Kind {
		case "secret", "path", "folder":
		case "text", "command":
			wrong[s.Variable] = strings.Repeat("x", 5000)
		default:
			wrong[s.Variable] = "?!"
		}
	}
	for _, name := range []string{"CASTELLAN_BOOK", "CASTELLAN_BOOK_WHITE", "CASTELLAN_BOOK_BLACK", "CASTELLAN_SYZYGY_PATH"} {
		wrong[name] = "," // anything else may be a path
	}
	setEnv(t, wrong)
	before := slices.Sorted(slices.Values(os.Environ()))
	cfg, err := LoadOnline()
	faults, _ := errors.AsType[Faults](err)
	if len(faults) != len(wrong) {
		t.Errorf("%d settings are wrong, %d faults are told:\n%v", len(wrong), len(faults), err)
	}
	for name := range wrong {
		if !faults.about(name) {
			t.Errorf("%s is not told", name)
		}
	}
	for _, s := range cfg.Settings() {
		if s.Value != s.Default && s.Variable != variableTokenFile {
			t.Errorf("%s is %q in place of its default %q", s.Variable, s.Value, s.Default)
		}
	}
	if diff := cmp.Diff(before, slices.Sorted(slices.Values(os.Environ()))); diff != "" {
		t.Errorf("Load changed the environment:\n%s", diff)
	}
}

func TestLoadIgnoresServiceVariablesOfKubernetes(t *testing.T) {
	services := map[string]string{
		"CASTELLAN_PORT":                          "tcp://10.0.0.1:80",
		"CASTELLAN_PORT_80_TCP":                   "tcp://10.0.0.1:80",
		"CASTELLAN_PORT_80_TCP_PROTO":             "tcp",
		"CASTELLAN_PORT_80_TCP_PORT":              "80",
		"CASTELLAN_PORT_80_TCP_ADDR":              "10.0.0.1",
		"CASTELLAN_SERVICE_HOST":                  "10.0.0.1",
		"CASTELLAN_SERVICE_PORT":                  "80",
		"CASTELLAN_SERVICE_PORT_HTTP":             "80",
		"CASTELLAN_STATUS_PAGE_SERVICE_HOST":      "10.0.0.1",
		"CASTELLAN_STATUS_PAGE_PORT_443_UDP_ADDR": "10.0.0.1",
	}
	setEnv(t, services)
	cfg, err := Load()
	if err != nil {
		t.Error(err)
	}
	for _, s := range cfg.Settings() {
		if isServiceVariable(s.Variable) {
			t.Errorf("%s would be set by Kubernetes for a Service", s.Variable)
		}
	}
}

// TestFoldersAreCalledFolders: who reads "path of a file" makes a file.
func TestFoldersAreCalledFolders(t *testing.T) {
	var cfg Config
	folders := 0
	for _, s := range cfg.Settings() {
		says, is := strings.Contains(s.Meaning, "Folder ") || strings.Contains(s.Meaning, "Folders "), strings.Contains(s.Legal, "folder")
		if says != is || strings.HasSuffix(s.Variable, "_DIR") && !is {
			t.Errorf("%s is explained as %q and takes a %s", s.Variable, s.Meaning, s.Legal)
		}
		if is {
			folders++
		}
	}
	if folders != 4 {
		t.Errorf("%d settings are folders", folders)
	}
}
