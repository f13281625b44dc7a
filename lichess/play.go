package lichess

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"unicode/utf16"
)

// Move plays a move, given in UCI with castling as king takes rook. With
// offerDraw it offers a draw as well, or accepts the opponent's standing offer
// (then the move is not played and the call succeeds all the same).
//
// Give the context the time that the clock allows. The call is sent again only
// when it certainly was not received; when the error is Uncertain, the game
// stream tells whether the move was played.
func (c *Client) Move(ctx context.Context, gameID, move string, offerDraw bool) error {
	if err := errors.Join(checkArg("game id", idForm, gameID), checkArg("UCI move", moveForm, move)); err != nil {
		return err
	}
	query := url.Values{"offeringDraw": {strconv.FormatBool(offerDraw)}}
	return c.post(ctx, epMove, request{args: []string{gameID, move}, query: query})
}

// Abort ends a game in which fewer than two moves were made.
func (c *Client) Abort(ctx context.Context, gameID string) error {
	return c.inGame(ctx, epAbort, gameID)
}

// Resign gives the game up. The server aborts it instead while that is possible.
func (c *Client) Resign(ctx context.Context, gameID string) error {
	return c.inGame(ctx, epResign, gameID)
}

// Draw offers a draw or accepts the opponent's offer (yes), or declines his
// offer (no). The server answers success also when it ignores the call.
func (c *Client) Draw(ctx context.Context, gameID string, yes bool) error {
	return c.inGame(ctx, epDraw, gameID, yesNo(yes))
}

// Takeback proposes a takeback or accepts the opponent's proposal (yes), or
// declines it (no). The server answers success also when it ignores the call.
func (c *Client) Takeback(ctx context.Context, gameID string, yes bool) error {
	return c.inGame(ctx, epTakeback, gameID, yesNo(yes))
}

// ClaimVictory claims the win when the opponent has been gone for long enough.
// It works in his turn only; in ours the server answers success and does nothing.
func (c *Client) ClaimVictory(ctx context.Context, gameID string) error {
	return c.inGame(ctx, epClaimVictory, gameID)
}

// ClaimDraw claims a draw when the opponent has been gone for long enough. It
// has nothing to do with repetition.
func (c *Client) ClaimDraw(ctx context.Context, gameID string) error {
	return c.inGame(ctx, epClaimDraw, gameID)
}

func (c *Client) inGame(ctx context.Context, ep *endpoint, gameID string, more ...string) error {
	if err := checkArg("game id", idForm, gameID); err != nil {
		return err
	}
	return c.post(ctx, ep, request{args: append([]string{gameID}, more...)})
}

func yesNo(yes bool) string {
	if yes {
		return "yes"
	}
	return "no"
}

// Chat writes a line of 1 to MaxChatText characters, see FitChat. The server
// drops lines with links without saying so.
func (c *Client) Chat(ctx context.Context, gameID string, room Room, text string) error {
	if err := checkArg("game id", idForm, gameID); err != nil {
		return err
	}
	if room != RoomPlayer && room != RoomSpectator {
		return fmt.Errorf("lichess: %q is not a chat room: use %q or %q", CleanText(string(room), 60), RoomPlayer, RoomSpectator)
	}
	if n := chatLength(text); strings.TrimSpace(text) == "" || n > MaxChatText {
		return fmt.Errorf("lichess: a chat line has 1 to %d characters, not %d", MaxChatText, n)
	}
	return c.post(ctx, epChat, form(url.Values{"room": {string(room)}, "text": {text}}, gameID))
}

// FitChat returns the text as one line that Chat accepts, cut to MaxChatText
// characters as the server counts them.
func FitChat(text string) string {
	text = CleanText(text, MaxChatText)
	for chatLength(text) > MaxChatText {
		runes := []rune(strings.TrimSuffix(text, "…"))
		text = string(runes[:len(runes)-1]) + "…"
	}
	return text
}

// chatLength counts as the server does, in units of UTF-16.
func chatLength(text string) int { return len(utf16.Encode([]rune(text))) }

// ReadChat returns the players' chat of a game.
func (c *Client) ReadChat(ctx context.Context, gameID string) ([]ChatMessage, error) {
	if err := checkArg("game id", idForm, gameID); err != nil {
		return nil, err
	}
	body, err := c.call(ctx, epReadChat, request{args: []string{gameID}})
	if err != nil {
		return nil, err
	}
	// It is described as one message a line and sent as one array.
	var chat []ChatMessage
	if err := json.Unmarshal(body, &chat); err == nil {
		return chat, nil
	}
	decoder := json.NewDecoder(bytes.NewReader(body))
	for decoder.More() {
		var message ChatMessage
		if err := decoder.Decode(&message); err != nil {
			return nil, fmt.Errorf("lichess: %s: the reply is not what was expected: %w", epReadChat, cleanError(err))
		}
		chat = append(chat, message)
	}
	return chat, nil
}

// ExportPGN returns a game as PGN. While it is running the server leaves out
// the last three moves.
func (c *Client) ExportPGN(ctx context.Context, gameID string) (string, error) {
	if err := checkArg("game id", idForm, gameID); err != nil {
		return "", err
	}
	body, err := c.call(ctx, epExport, request{args: []string{gameID}, accept: "application/x-chess-pgn"})
	return string(body), err
}
