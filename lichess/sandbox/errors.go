package sandbox

import (
	"fmt"
	"net/http"
	"time"

	"castellan/lichess"
)

// apiError is a refusal: a status code and the body that goes with it.
type apiError struct {
	code int
	body lichess.ErrorBody
}

func (e *apiError) Error() string { return e.body.Error }

func refuse(code int, format string, args ...any) error {
	return &apiError{code, lichess.ErrorBody{Error: fmt.Sprintf(format, args...)}}
}

func badRequest(format string, args ...any) error {
	return refuse(http.StatusBadRequest, format, args...)
}

func notFound() error { return refuse(http.StatusNotFound, "Not found") }

func tooManyRequests() error {
	return refuse(http.StatusTooManyRequests, "Too many requests. Try again later.")
}

// botLimited refuses a game between bots: code 429 when the caller has reached
// the daily number, 400 when the opponent has.
func botLimited(code int, left time.Duration, format string, args ...any) error {
	seconds := int64((left + time.Second - 1) / time.Second)
	return &apiError{code, lichess.ErrorBody{
		Error:     fmt.Sprintf(format, args...),
		RateLimit: &lichess.RateLimit{Key: lichess.KeyBotVsBotDay, Seconds: seconds},
	}}
}
