package lichess

import "encoding/json"

// Status is the name of a game's state as the server writes it. The result of
// a game is told by its winner, never by the status alone: a flag, for
// instance, is a draw when the other side could not have mated.
type Status string

// The statuses known so far.
const (
	StatusCreated                   Status = "created"
	StatusStarted                   Status = "started"
	StatusAborted                   Status = "aborted"
	StatusMate                      Status = "mate"
	StatusResign                    Status = "resign"
	StatusStalemate                 Status = "stalemate"
	StatusTimeout                   Status = "timeout" // a player left and the other one claimed
	StatusDraw                      Status = "draw"
	StatusOutOfTime                 Status = "outoftime" // the flag fell
	StatusCheat                     Status = "cheat"
	StatusNoStart                   Status = "noStart" // the first move was never made
	StatusUnknownFinish             Status = "unknownFinish"
	StatusInsufficientMaterialClaim Status = "insufficientMaterialClaim"
	StatusVariantEnd                Status = "variantEnd"
)

// statusIDs holds the numbers that go with the names.
var statusIDs = map[Status]int{
	StatusCreated:                   10,
	StatusStarted:                   20,
	StatusAborted:                   25,
	StatusMate:                      30,
	StatusResign:                    31,
	StatusStalemate:                 32,
	StatusTimeout:                   33,
	StatusDraw:                      34,
	StatusOutOfTime:                 35,
	StatusCheat:                     36,
	StatusNoStart:                   37,
	StatusUnknownFinish:             38,
	StatusInsufficientMaterialClaim: 39,
	StatusVariantEnd:                60,
}

// Over reports whether the game has ended. Only created and started games are
// in play: a status unknown to this package counts as an end, since waiting
// for moves in a game that is over would hold its slot for ever.
func (s Status) Over() bool { return s != StatusCreated && s != StatusStarted }

// Known reports whether the status is one of those listed above.
func (s Status) Known() bool { _, ok := statusIDs[s]; return ok }

// ID returns the number of the status, 0 when it is unknown.
func (s Status) ID() int { return statusIDs[s] }

// Info returns the status in the form that event and game objects use.
func (s Status) Info() *StatusInfo { return &StatusInfo{ID: s.ID(), Name: s} }

// StatusInfo is a status with its number, as event and game objects carry it.
type StatusInfo struct {
	ID   int    `json:"id"`
	Name Status `json:"name"`
}

// UnmarshalJSON accepts the name alone too: the list of running games is
// described so, though the server sends number and name there as well.
func (s *StatusInfo) UnmarshalJSON(data []byte) error {
	var name Status
	if json.Unmarshal(data, &name) == nil && name != "" {
		*s = *name.Info()
		return nil
	}
	type wire StatusInfo
	return json.Unmarshal(data, (*wire)(s))
}
