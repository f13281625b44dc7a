package sandbox

import "castellan/lichess"

// challengeView returns the challenge as it goes over the wire. The direction
// is "in", "out", or "" in events.
func (s *Server) challengeView(ch *challenge, direction string) lichess.Challenge {
	view := lichess.Challenge{
		ID: ch.id, URL: s.URL + "/" + ch.id, Status: ch.status,
		Challenger:  challengeUser(ch, ch.from),
		DestUser:    challengeUser(ch, ch.to),
		Variant:     ch.variant,
		Rated:       ch.setup.Rated,
		Speed:       ch.speed(),
		TimeControl: ch.tc,
		Color:       ch.setup.Color,
		FinalColor:  ch.color,
		Perf:        lichess.ChallengePerf{Icon: "", Name: perfName(ch.variant, ch.speed())},
		InitialFEN:  ch.setup.FEN,
		Direction:   direction,
		Rules:       ch.setup.Rules,
	}
	if ch.status == lichess.ChallengeDeclined {
		view.DeclineReason = declineTexts[ch.reason]
		view.DeclineReasonKey = ch.reason.Key()
	}
	return view
}

func challengeUser(ch *challenge, a *account) *lichess.ChallengeUser {
	return &lichess.ChallengeUser{
		ID: a.id, Name: a.Name, Title: a.Title,
		Rating: a.rating(perfKey(ch.variant.Key, ch.speed())),
		Online: a.online(),
	}
}

// declineTexts are the reasons as people read them.
var declineTexts = map[lichess.DeclineReason]string{
	lichess.DeclineGeneric:     "No challenges at the moment, please.",
	lichess.DeclineLater:       "Not now, please try again later.",
	lichess.DeclineTooFast:     "This clock is too fast for me, please take a slower one.",
	lichess.DeclineTooSlow:     "This clock is too slow for me, please take a faster one.",
	lichess.DeclineTimeControl: "I do not play with this clock.",
	lichess.DeclineRated:       "Please make it a rated challenge.",
	lichess.DeclineCasual:      "Please make it a casual challenge.",
	lichess.DeclineStandard:    "I play standard chess only at the moment.",
	lichess.DeclineVariant:     "I do not play this variant at the moment.",
	lichess.DeclineNoBot:       "I do not play against bots.",
	lichess.DeclineOnlyBot:     "I play against bots only.",
}
