package config

import (
	"fmt"
	"slices"
)

// lowestElo is the lowest rating that the engine can be made to play like.
const lowestElo = 800

// contradictions finds settings that are legal alone and not together, and what a range cannot tell. Those already at fault are left alone.
func contradictions(cfg *Config, faults Faults) []Fault {
	var found []Fault
	pair := func(low, high string, wrong bool, lowValue, highValue fmt.Stringer) {
		if wrong && !faults.about(low, high) {
			found = append(found, Fault{
				Variable: low,
				Value:    quote(lowValue.String()),
				Wrong:    fmt.Sprintf("is more than %s=%s", high, quote(highValue.String())),
			})
		}
	}
	accept := &cfg.Accept
	pair("CASTELLAN_ACCEPT_BASE_MIN", "CASTELLAN_ACCEPT_BASE_MAX", accept.BaseMin > accept.BaseMax, accept.BaseMin, accept.BaseMax)
	pair("CASTELLAN_ACCEPT_INCREMENT_MIN", "CASTELLAN_ACCEPT_INCREMENT_MAX", accept.IncrementMin > accept.IncrementMax, accept.IncrementMin, accept.IncrementMax)
	pair("CASTELLAN_ACCEPT_DAYS_MIN", "CASTELLAN_ACCEPT_DAYS_MAX", accept.DaysMin > accept.DaysMax, accept.DaysMin, accept.DaysMax)

	if bool(accept.Unlimited) && !slices.Contains(accept.Speeds, "correspondence") {
		found = append(found, Fault{
			Variable: "CASTELLAN_ACCEPT_UNLIMITED",
			Value:    quote(accept.Unlimited.String()),
			Wrong:    "such games are of the speed correspondence, which CASTELLAN_ACCEPT_SPEEDS leaves out",
		})
	}
	if elo := cfg.Elo; elo != 0 && elo < lowestElo && !faults.about("CASTELLAN_ELO") {
		found = append(found, Fault{
			Variable: "CASTELLAN_ELO",
			Value:    quote(elo.String()),
			Wrong:    fmt.Sprintf("is below %d, the lowest level there is; 0 is full strength", lowestElo),
		})
	}
	for _, name := range accept.AllowList {
		if slices.Contains(accept.BlockList, name) {
			found = append(found, Fault{
				Variable: "CASTELLAN_ACCEPT_ALLOW_LIST",
				Wrong:    fmt.Sprintf("%s is in CASTELLAN_ACCEPT_BLOCK_LIST too", quote(name)),
			})
		}
	}
	return found
}
