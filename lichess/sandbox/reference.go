package sandbox

import (
	"fmt"
	"net/http"
	"strings"

	"castellan/engine/chess"
	"castellan/lichess"
)

// library is what the server knows about positions, by FEN without the counters.
type library struct {
	openings    map[string][]lichess.ExplorerMove
	evaluations map[string]lichess.CloudEval
	endgames    map[string]lichess.Endgame
}

// placeOf is what a position is known by: all of its FEN but the counters.
func placeOf(p *chess.Position) string {
	return strings.Join(strings.Fields(p.FEN())[:4], " ")
}

func mustPlace(fen string) (string, error) {
	p, err := chess.ParseFEN(fen)
	if err != nil {
		return "", fmt.Errorf("sandbox: %w", err)
	}
	return placeOf(&p), nil
}

// SetOpening makes both databases of the opening explorer tell these moves of a position, the most played first. Their SAN may be
// left out.
func (s *Server) SetOpening(fen string, moves ...lichess.ExplorerMove) error {
	place, err := mustPlace(fen)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.library.openings[place] = moves
	return nil
}

// SetEvaluation makes the server have a cloud evaluation of a position.
func (s *Server) SetEvaluation(fen string, e lichess.CloudEval) error {
	place, err := mustPlace(fen)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.library.evaluations[place] = e
	return nil
}

// SetEndgame makes the endgame tables of the server tell this of a position, whatever Options.Tables say.
func (s *Server) SetEndgame(fen string, e lichess.Endgame) error {
	place, err := mustPlace(fen)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.library.endgames[place] = e
	return nil
}

// asked reads the position that a look-up is about.
func (c *call) asked() (chess.Position, error) {
	fen := c.form.Get("fen")
	if fen == "" {
		return chess.Position{}, badRequest("Missing fen")
	}
	p, err := chess.ParseFEN(strings.ReplaceAll(fen, "_", " "))
	if err != nil {
		return p, badRequest("Invalid fen: %v", err)
	}
	for m := range strings.SplitSeq(c.form.Get("play"), ",") {
		if m == "" {
			continue
		}
		move, err := p.ParseUCI(m)
		if err != nil {
			return p, badRequest("Invalid move: %v", err)
		}
		p = p.Play(move)
	}
	return p, nil
}

// explorerReply is what the explorer answers. The games beside the figures are never shown here.
type explorerReply struct {
	Opening *struct{}      `json:"opening"`
	White   int            `json:"white"`
	Draws   int            `json:"draws"`
	Black   int            `json:"black"`
	Moves   []explorerMove `json:"moves"`
	Top     []struct{}     `json:"topGames"`
	Recent  *[]struct{}    `json:"recentGames,omitempty"`
}

type explorerMove struct {
	lichess.ExplorerMove
	Game    *struct{} `json:"game"`
	Opening *struct{} `json:"opening"`
}

// explore answers for one of the databases.
func (s *Server) explore(masters bool) handler {
	return func(c *call) (any, error) {
		p, err := c.asked()
		if err != nil {
			return nil, err
		}
		reply := explorerReply{Moves: []explorerMove{}, Top: []struct{}{}}
		if !masters {
			reply.Recent = &[]struct{}{}
		}
		for _, m := range s.library.openings[placeOf(&p)] {
			if move, err := p.ParseUCI(m.UCI); err == nil && m.SAN == "" {
				m.SAN = p.SAN(move)
			}
			reply.White, reply.Draws, reply.Black = reply.White+m.White, reply.Draws+m.Draws, reply.Black+m.Black
			reply.Moves = append(reply.Moves, explorerMove{ExplorerMove: m})
		}
		return &reply, nil
	}
}

func (s *Server) cloudEval(c *call) (any, error) {
	p, err := c.asked()
	if err != nil {
		return nil, err
	}
	e, ok := s.library.evaluations[placeOf(&p)]
	if !ok {
		return nil, refuse(http.StatusNotFound, "No cloud evaluation available for that position")
	}
	e.FEN = placeOf(&p)
	return &e, nil
}

// endgameReply is what the tables answer. What only variants have is never known here.
type endgameReply struct {
	endgameFacts
	lichess.Endgame
	Moves []endgameMove `json:"moves"`
}

type endgameMove struct {
	endgameFacts
	Conversion bool `json:"conversion"`
	lichess.EndgameMove
}

type endgameFacts struct {
	VariantWin  bool `json:"variant_win"`
	VariantLoss bool `json:"variant_loss"`
	DTW         *int `json:"dtw"`
	DTC         *int `json:"dtc"`
}

func (s *Server) endgame(c *call) (any, error) {
	p, err := c.asked()
	if err != nil {
		return nil, err
	}
	e, ok := s.library.endgames[placeOf(&p)]
	if !ok {
		e = s.lookUpEndgame(&p)
	}
	reply := endgameReply{Endgame: e, Moves: []endgameMove{}}
	for _, m := range e.Moves {
		if move, err := p.ParseUCI(m.UCI); err == nil && m.SAN == "" {
			m.SAN = p.SAN(move)
		}
		reply.Moves = append(reply.Moves, endgameMove{EndgameMove: m})
	}
	return &reply, nil
}
