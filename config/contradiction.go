package config

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"time"
)

// lowestElo is the lowest rating that the engine can be made to play like.
const lowestElo = 800

// contradictions finds settings that are legal alone and not together, and what a range cannot tell. Those already at fault are left alone.
func contradictions(cfg *Config, faults Faults) []Fault {
	var found []Fault
	for _, terms := range []struct {
		section string
		*Terms
	}{{"CASTELLAN_ACCEPT", &cfg.Accept}, {"CASTELLAN_ACCEPT_HUMANS", &cfg.AcceptHumans}, {"CASTELLAN_ACCEPT_BOTS", &cfg.AcceptBots}} {
		found = append(found, terms.contradictions(terms.section, faults)...)
	}
	if cfg.HumanPlaces > cfg.MaxGames && !faults.about("CASTELLAN_HUMAN_PLACES", "CASTELLAN_MAX_GAMES") {
		found = append(found, Fault{
			Variable: "CASTELLAN_HUMAN_PLACES", Value: quote(cfg.HumanPlaces.String()),
			Wrong: fmt.Sprintf("is more than CASTELLAN_MAX_GAMES=%s", quote(cfg.MaxGames.String())),
		})
	}
	if len(cfg.Arenas) > 0 && cfg.HumanPlaces == cfg.MaxGames && !faults.about("CASTELLAN_HUMAN_PLACES", "CASTELLAN_MAX_GAMES", "CASTELLAN_ARENAS") {
		found = append(found, Fault{
			Variable: "CASTELLAN_ARENAS", Value: quote(cfg.Arenas.String()),
			Wrong: "CASTELLAN_HUMAN_PLACES leaves no place for a game of an arena",
		})
	}
	if m := &cfg.Matchmaking; bool(m.Enabled) {
		if cfg.HumanPlaces == cfg.MaxGames {
			found = append(found, Fault{
				Variable: "CASTELLAN_MATCHMAKING_ENABLED", Value: quote(m.Enabled.String()),
				Wrong: "CASTELLAN_HUMAN_PLACES leaves no place for a bot",
			})
		}
		if m.RatingMax > 0 && m.RatingMin > m.RatingMax && !faults.about("CASTELLAN_MATCHMAKING_RATING_MIN", "CASTELLAN_MATCHMAKING_RATING_MAX") {
			found = append(found, Fault{
				Variable: "CASTELLAN_MATCHMAKING_RATING_MIN", Value: quote(m.RatingMin.String()),
				Wrong: fmt.Sprintf("is more than CASTELLAN_MATCHMAKING_RATING_MAX=%s", quote(m.RatingMax.String())),
			})
		}
	}
	if elo := cfg.Elo; elo != 0 && elo < lowestElo && !faults.about("CASTELLAN_ELO") {
		found = append(found, Fault{
			Variable: "CASTELLAN_ELO",
			Value:    quote(elo.String()),
			Wrong:    fmt.Sprintf("is below %d, the lowest level there is; 0 is full strength", lowestElo),
		})
	}
	if cfg.Engine == "" && len(cfg.EngineOptions) > 0 && !faults.about("CASTELLAN_ENGINE") {
		found = append(found, Fault{
			Variable: "CASTELLAN_ENGINE_OPTIONS",
			Value:    quote(cfg.EngineOptions.String()),
			Wrong:    "there is no engine to give them to: CASTELLAN_ENGINE is not set",
		})
	}
	if cfg.StatusAddr != "" && cfg.StatusAddr == cfg.MetricsAddr && !strings.HasSuffix(string(cfg.StatusAddr), ":0") {
		found = append(found, Fault{
			Variable: "CASTELLAN_METRICS_ADDR",
			Value:    quote(cfg.MetricsAddr.String()),
			Wrong:    "is CASTELLAN_STATUS_ADDR too, where all of it is anyway",
		})
	}
	for _, name := range cfg.AcceptAllowList {
		if slices.Contains(cfg.AcceptBlockList, name) {
			found = append(found, Fault{
				Variable: "CASTELLAN_ACCEPT_ALLOW_LIST",
				Wrong:    fmt.Sprintf("%s is in CASTELLAN_ACCEPT_BLOCK_LIST too", quote(name)),
			})
		}
	}
	return found
}

// contradictions are those within the terms of a section, whose variables begin with its name. A section that is not for everybody
// is at fault only where a setting of its own takes part.
func (t *Terms) contradictions(section string, faults Faults) (found []Fault) {
	add := func(wrong bool, name string, value fmt.Stringer, why string, others ...string) {
		variables := []string{section + "_" + name}
		own := section == "CASTELLAN_ACCEPT" || os.Getenv(variables[0]) != ""
		for _, other := range others {
			variables = append(variables, section+"_"+other)
			own = own || os.Getenv(section+"_"+other) != ""
		}
		if wrong && own && !faults.about(variables...) {
			found = append(found, Fault{Variable: variables[0], Value: quote(value.String()), Wrong: why})
		}
	}
	pair := func(low, high string, wrong bool, lowValue, highValue fmt.Stringer) {
		add(wrong, low, lowValue, fmt.Sprintf("is more than %s_%s=%s", section, high, quote(highValue.String())), high)
	}
	pair("BASE_MIN", "BASE_MAX", t.BaseMin > t.BaseMax, t.BaseMin, t.BaseMax)
	pair("INCREMENT_MIN", "INCREMENT_MAX", t.IncrementMin > t.IncrementMax, t.IncrementMin, t.IncrementMax)
	pair("DAYS_MIN", "DAYS_MAX", t.DaysMin > t.DaysMax, t.DaysMin, t.DaysMax)
	pair("RATING_MIN", "RATING_MAX", t.RatingMax > 0 && t.RatingMin > t.RatingMax, t.RatingMin, t.RatingMax)
	add(bool(t.Unlimited) && !slices.Contains(t.Speeds, "correspondence"), "UNLIMITED", t.Unlimited,
		"such games are of the speed correspondence, which "+section+"_SPEEDS leaves out", "SPEEDS")
	for _, clock := range t.Clocks {
		base, increment := Duration(clock.Limit)*Duration(time.Second), Duration(clock.Increment)*Duration(time.Second)
		add(!slices.Contains(t.Speeds, clock.speed()), "CLOCKS", clock, "is "+clock.speed()+", which "+section+"_SPEEDS leaves out", "SPEEDS")
		add(base < t.BaseMin || base > t.BaseMax, "CLOCKS", clock, "has a base time outside "+section+"_BASE_MIN and _MAX", "BASE_MIN", "BASE_MAX")
		add(increment < t.IncrementMin || increment > t.IncrementMax, "CLOCKS", clock, "has an increment outside "+section+"_INCREMENT_MIN and _MAX",
			"INCREMENT_MIN", "INCREMENT_MAX")
		add(bool(t.BulletIncrement) && clock.speed() == "bullet" && clock.Increment == 0, "CLOCKS", clock,
			"has no increment, which "+section+"_BULLET_INCREMENT wants", "BULLET_INCREMENT")
	}
	return found
}
