package lichess

import (
	"log/slog"
	"net/http"
	"strings"
	"time"
)

// repeat says when a failed call may be sent again by the client itself.
type repeat uint8

const (
	// repeatUnsent: only when the first try certainly was not carried out,
	// that is when no connection was made or the answer was 429.
	repeatUnsent repeat = iota
	// repeatSafe: also after a lost answer or a 5xx, since doing it twice is
	// the same as doing it once.
	repeatSafe
)

// feature groups the calls that share a limit of the server: when one is
// limited, all of its group are held back, and no other.
type feature uint8

const (
	featureGame      feature = iota // what a running game needs; never held back
	featureChat                     // talk in a running game
	featureChallenge                // making challenges
	featureAnswer                   // accepting, declining, canceling challenges
	featureEvents                   // opening the event stream
	featureAccount                  // account, list of running games
	featureToken                    // the test of the token, which must not wait for those
	featureArena                    // arena tournaments
	featureLookup                   // everything else
	featureCount
)

var featureNames = [featureCount]string{"game", "chat", "challenge", "answer", "events", "account", "token", "arena", "lookup"}

// String names the feature for the log and the status page.
func (f feature) String() string { return featureNames[f] }

// Time that a call may take altogether, its repetitions included, when the
// caller's context leaves more.
const (
	gameTimeout  = 24 * time.Second
	writeTimeout = 20 * time.Second
	readTimeout  = 45 * time.Second
)

// endpoint is one call of the API and how it is to be treated.
type endpoint struct {
	method  string
	path    string // with {…} where arguments go, in order
	feature feature
	repeat  repeat
	timeout time.Duration // 0 for streams
}

// String returns method and path pattern.
func (e *endpoint) String() string { return e.method + " " + e.path }

// fill puts the arguments in the place of the {…}. They have been checked and
// need no escaping.
func (e *endpoint) fill(args []string) string {
	path := e.path
	for _, arg := range args {
		open, shut := strings.IndexByte(path, '{'), strings.IndexByte(path, '}')
		path = path[:open] + arg + path[shut+1:]
	}
	return path
}

// about names the game, the challenge or the arena that a call with these arguments is about, for the log: an Attr that says
// nothing, which loggers leave out, when it is about none.
func (e *endpoint) about(args []string) slog.Attr {
	switch {
	case len(args) == 0 || !strings.Contains(e.path, "{id}"):
		return slog.Attr{}
	case strings.HasPrefix(e.path, "/api/challenge/"):
		return slog.String("challenge", args[0])
	case strings.HasPrefix(e.path, "/api/tournament/"):
		return slog.String("arena", args[0])
	}
	return slog.String("game", args[0])
}

var (
	epTokenTest  = &endpoint{http.MethodPost, "/api/token/test", featureToken, repeatSafe, readTimeout}
	epAccount    = &endpoint{http.MethodGet, "/api/account", featureAccount, repeatSafe, readTimeout}
	epPlaying    = &endpoint{http.MethodGet, "/api/account/playing", featureAccount, repeatSafe, readTimeout}
	epUpgrade    = &endpoint{http.MethodPost, "/api/bot/account/upgrade", featureAccount, repeatUnsent, writeTimeout}
	epOnlineBots = &endpoint{http.MethodGet, "/api/bot/online", featureLookup, repeatSafe, readTimeout}
	epExport     = &endpoint{http.MethodGet, "/game/export/{id}", featureLookup, repeatSafe, readTimeout}
	// Only asked to keep connections warm. The next one is soon enough.
	epUsersStatus = &endpoint{http.MethodGet, "/api/users/status", featureLookup, repeatUnsent, readTimeout}

	epEvents = &endpoint{http.MethodGet, "/api/stream/event", featureEvents, repeatUnsent, 0}
	epGame   = &endpoint{http.MethodGet, "/api/bot/game/stream/{id}", featureGame, repeatUnsent, 0}

	epMove   = &endpoint{http.MethodPost, "/api/bot/game/{id}/move/{move}", featureGame, repeatUnsent, gameTimeout}
	epAbort  = &endpoint{http.MethodPost, "/api/bot/game/{id}/abort", featureGame, repeatSafe, gameTimeout}
	epResign = &endpoint{http.MethodPost, "/api/bot/game/{id}/resign", featureGame, repeatSafe, gameTimeout}
	// A second answer to an offer that has been answered, or has lapsed, is an
	// offer of our own.
	epDraw         = &endpoint{http.MethodPost, "/api/bot/game/{id}/draw/{accept}", featureGame, repeatUnsent, gameTimeout}
	epTakeback     = &endpoint{http.MethodPost, "/api/bot/game/{id}/takeback/{accept}", featureGame, repeatUnsent, gameTimeout}
	epClaimVictory = &endpoint{http.MethodPost, "/api/bot/game/{id}/claim-victory", featureGame, repeatSafe, gameTimeout}
	epClaimDraw    = &endpoint{http.MethodPost, "/api/bot/game/{id}/claim-draw", featureGame, repeatSafe, gameTimeout}
	epChat         = &endpoint{http.MethodPost, "/api/bot/game/{id}/chat", featureChat, repeatUnsent, writeTimeout}
	epReadChat     = &endpoint{http.MethodGet, "/api/bot/game/{id}/chat", featureChat, repeatSafe, readTimeout}

	epChallenges  = &endpoint{http.MethodGet, "/api/challenge", featureLookup, repeatSafe, readTimeout}
	epShow        = &endpoint{http.MethodGet, "/api/challenge/{id}/show", featureLookup, repeatSafe, readTimeout}
	epChallenge   = &endpoint{http.MethodPost, "/api/challenge/{user}", featureChallenge, repeatUnsent, writeTimeout}
	epChallengeAI = &endpoint{http.MethodPost, "/api/challenge/ai", featureChallenge, repeatUnsent, writeTimeout}
	// Doing one of these twice is answered by 404 or 400 the second time.
	epAccept  = &endpoint{http.MethodPost, "/api/challenge/{id}/accept", featureAnswer, repeatSafe, writeTimeout}
	epDecline = &endpoint{http.MethodPost, "/api/challenge/{id}/decline", featureAnswer, repeatSafe, writeTimeout}
	epCancel  = &endpoint{http.MethodPost, "/api/challenge/{id}/cancel", featureAnswer, repeatSafe, writeTimeout}

	epArena      = &endpoint{http.MethodGet, "/api/tournament/{id}", featureArena, repeatSafe, readTimeout}
	epArenaJoin  = &endpoint{http.MethodPost, "/api/tournament/{id}/join", featureArena, repeatSafe, writeTimeout}
	epArenaLeave = &endpoint{http.MethodPost, "/api/tournament/{id}/withdraw", featureArena, repeatSafe, writeTimeout}
)
