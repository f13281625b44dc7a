package sandbox_test

import (
	"regexp"
	"sync/atomic"
)

// exception is a place where the server is known to differ from its own
// description. One that no test needs any more fails the run.
type exception struct {
	operation *regexp.Regexp // method and path template
	fault     *regexp.Regexp // what the check says
	why       string
	used      atomic.Bool
}

func except(operation, fault, why string) *exception {
	return &exception{operation: regexp.MustCompile(operation), fault: regexp.MustCompile(fault), why: why}
}

var exceptions = []*exception{
	except(``, `^status 401 is not described$`, "any call that takes a token answers one that is not accepted by 401"),
	except(``, `^status 403 is not described$`, "any call that takes a token answers one that lacks the scope by 403"),
	except(``, `^status 429 is not described$`, "limits are described in the introduction, not call by call"),
	except(``, `^status 413 is not described$`, "a body beyond all measure is refused before the call is looked at"),
	except(`^POST /api/challenge/`, `^\$\.ratelimit is not described$`, "the daily limit of games between bots is told with key and seconds"),

	except(`^(GET|POST) /api/(bot|board)/game/`, `^status 404 is not described$`, "'No such game' and 'Not your game'"),
	except(`^GET /api/(bot|board)/game/`, `^status 400 is not described$`, "not a bot, a bot on the board API, or a game that bots cannot play"),
	except(`^GET /api/(bot|board)/game/\{gameId\}/chat$`, `^(a reply of type|header Accept is) "application/json"`, "one array, described as one message a line"),
	except(`^POST /api/bot/game/\{gameId\}/(draw|takeback)/`, `^path accept is "no": `, "the server takes no as it takes yes"),
	except(`^GET /api/(bot|board)/game/stream/`, `^\$\.(state\.)?rematch is not described$`, "the id of an accepted rematch is sent with the last state"),

	except(`^POST /api/challenge/\{(username|challengeId)\}`, `^status (400|404) is not described$`,
		"'Game incompatible with a BOT account' and the like; 404 for what is gone and for oneself"),
	except(`^POST /api/challenge/\{username\}$`, `^a reply of type "application/x-ndjson" is not described$`, "keepAliveStream is described in words only"),
	except(`^(GET|POST) /api/(challenge|stream/event)`, `\.rules is not described$`, "the rules of a challenge are sent"),
	except(`^GET /api/challenge/\{challengeId\}/show$`, `^\$\.declineReason(Key)? is not described$`, "a declined challenge tells why here too"),
	except(`^GET /api/challenge/\{challengeId\}/show$`, `^status 404 is not described$`, "there is no such challenge"),

	except(`^GET /api/account/playing$`, `^\$\.nowPlaying\.\d+\.status(: value is not one of|\.(id|name) is not described)`,
		"the status is an object, as in events"),
	except(`^GET /api/account/playing$`, `^\$\.nowPlaying\.\d+\.secondsLeft: property "secondsLeft" is missing`, "a game without a clock has no seconds left"),
	except(`^GET /api/users/status$`, `^\$\.\d+\.playingId is not described$`, "described with the parameter withGameIds, not with the reply"),
	except(`^GET /api/(user/|bot/online|users/)|^POST /api/(round|token)|^GET /game/export/`, `^status (400|404) is not described$`,
		"what does not exist is answered by 404, a value out of range by 400"),
	except(`^GET /(standard|masters|lichess|api/cloud-eval)$`, `^status 400 is not described$`, "a position that is none, and moves that are not legal in it"),
	except(`^GET /game/export/`, `^a reply of type "application/x-chess-pgn" is not described$`, "PGN is described with the header Accept, not with the reply"),
}

// notDescribed are endpoints that the server has and its description has not.
var notDescribed = map[string]string{
	"POST /api/bot/game/{id}/berserk": "refused for every bot",
}

// excused reports whether a fault is one that is known of.
func excused(operation, fault string) bool {
	for _, e := range exceptions {
		if e.operation.MatchString(operation) && e.fault.MatchString(fault) {
			e.used.Store(true)
			return true
		}
	}
	return false
}
