package lichess

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"time"
)

// Addresses of the services that Lichess offers beside its API.
const (
	DefaultExplorerURL  = "https://explorer.lichess.org"
	DefaultTablebaseURL = "https://tablebase.lichess.org"
)

// ReferenceOptions says where to look positions up. An address that is "" is its default.
type ReferenceOptions struct {
	ExplorerURL  string
	CloudURL     string // DefaultURL by default
	TablebaseURL string

	// ExplorerToken is sent to ExplorerURL and to no other. The explorer wants one, of any account and with no permission at all.
	// "" sends none.
	ExplorerToken Token

	Version string       // of the program, for the User-Agent; "" means "dev"
	Logger  *slog.Logger // nil means none
}

// Reference looks positions up in the opening explorer, the cloud evaluations and the endgame tables of Lichess. It is safe for use by
// many goroutines; each service is asked for one thing at a time.
//
// It learns from failures: a service that gives errors is not asked again for a while, one that sends elsewhere or refuses the token not at
// all any more. A call is then answered by *HeldBackError at once.
type Reference struct {
	explorer, cloud, tablebase *service
	version                    string
	logger                     *slog.Logger
	http                       *http.Client
}

// NewReference checks the options. Nothing is sent yet.
func NewReference(o ReferenceOptions) (*Reference, error) {
	if o.Version == "" {
		o.Version = "dev"
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	transport := newTransport(&Options{})
	transport.MaxIdleConnsPerHost = 1
	transport.IdleConnTimeout = time.Minute
	r := &Reference{
		version: CleanText(o.Version, 40), logger: o.Logger,
		http: &http.Client{Transport: transport, CheckRedirect: noRedirect},
	}
	var faults []error
	base := func(name, address, standard string) *service {
		if address == "" {
			address = standard
		}
		u, err := checkURL(address)
		if err != nil {
			faults = append(faults, fmt.Errorf("%w (of the %s)", err, name))
			u = &url.URL{}
		}
		return newService(name, u)
	}
	r.explorer = base("opening explorer", o.ExplorerURL, DefaultExplorerURL)
	r.cloud = base("cloud evaluation", o.CloudURL, DefaultURL)
	r.cloud.none = ErrNoEvaluation
	r.tablebase = base("online endgame tables", o.TablebaseURL, DefaultTablebaseURL)
	if o.ExplorerToken != "" {
		if err := checkToken(o.ExplorerToken); err != nil {
			faults = append(faults, err)
		}
		r.explorer.token = &o.ExplorerToken
	}
	if len(faults) > 0 {
		return nil, errors.Join(faults...)
	}
	return r, nil
}

// Close gives up the idle connections. A nil Reference has none.
func (r *Reference) Close() {
	if r != nil {
		r.http.CloseIdleConnections()
	}
}

// ErrNoEvaluation says that there is no cloud evaluation of a position.
var ErrNoEvaluation = errors.New("lichess: there is no cloud evaluation of this position")

// Database is one of the explorer's collections of games.
type Database string

// The databases.
const (
	DatabaseMasters Database = "masters" // games of titled players over the board; standard chess only
	DatabaseLichess Database = "lichess" // rated games on Lichess, here of players rated 2200 and more
)

// Explore returns how the games of a database went on from a position. A position that no game has come to has no moves.
func (r *Reference) Explore(ctx context.Context, from Database, variant VariantKey, fen string) (*Exploration, error) {
	query := url.Values{"fen": {fen}, "moves": {"12"}, "topGames": {"0"}}
	if from == DatabaseLichess {
		query.Set("recentGames", "0")
		query.Set("variant", string(variant))
		query.Set("ratings", "2200,2500")
	}
	e := &Exploration{}
	return e, r.get(ctx, r.explorer, "/"+string(from), query, e)
}

// Evaluate returns what an engine has found out about a position for somebody before, or ErrNoEvaluation.
func (r *Reference) Evaluate(ctx context.Context, variant VariantKey, fen string) (*CloudEval, error) {
	e := &CloudEval{}
	err := r.get(ctx, r.cloud, "/api/cloud-eval", url.Values{"fen": {fen}, "variant": {string(variant)}, "multiPv": {"1"}}, e)
	if err == nil && len(e.PVs) == 0 {
		err = ErrNoEvaluation
	}
	return e, err
}

// Endgame returns what endgame tables say about a position of standard chess with seven men at most, and about each move in it.
func (r *Reference) Endgame(ctx context.Context, fen string) (*Endgame, error) {
	e := &Endgame{}
	return e, r.get(ctx, r.tablebase, "/standard", url.Values{"fen": {fen}, "dtc": {"never"}}, e)
}

// maxReference bounds a reply. What the explorer says of one position is about 8 kB.
const maxReference = 256 << 10

// get makes one request, never two, and decodes the reply into the value at v.
func (r *Reference) get(ctx context.Context, s *service, path string, query url.Values, v any) error {
	if err := s.enter(ctx); err != nil {
		return err
	}
	defer s.leave()
	start := time.Now()
	status, err := r.ask(ctx, s, path, query, v)
	if errors.Is(err, context.Canceled) {
		return err // nobody wants to know any more, which says nothing about the service
	}
	held := s.learn(err)
	if held != nil {
		r.logger.LogAttrs(ctx, held.level(), "a source of moves is not asked for a while", slog.String("source", s.name),
			slog.String("for", held.wait()), slog.Any("err", err))
	}
	r.logger.LogAttrs(ctx, slog.LevelDebug, "looked up", slog.String("source", s.name), slog.Int("status", status),
		slog.Duration("time", time.Since(start)), slog.Any("err", err))
	return err
}

func (r *Reference) ask(ctx context.Context, s *service, path string, query url.Values, v any) (status int, err error) {
	address := *s.base
	address.Path += path
	address.RawQuery = query.Encode()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address.String(), nil)
	if err != nil {
		return 0, fmt.Errorf("lichess: %s: %w", s.name, err)
	}
	req.Header = http.Header{"User-Agent": {"castellan/" + r.version}, "Accept": {"application/json"}}
	if s.token != nil {
		req.Header.Set("Authorization", "Bearer "+string(*s.token))
	}
	resp, err := r.http.Do(req)
	if err != nil {
		return 0, s.clean(ctx, err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return resp.StatusCode, s.refusal(resp)
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxReference+1))
	switch {
	case err != nil:
		return resp.StatusCode, s.clean(ctx, err)
	case len(body) > maxReference:
		return resp.StatusCode, fmt.Errorf("lichess: %s: the reply is longer than %d bytes", s.name, maxReference)
	}
	if err := json.Unmarshal(body, v); err != nil {
		return resp.StatusCode, s.clean(ctx, fmt.Errorf("the reply is not what was expected: %w", err))
	}
	return resp.StatusCode, nil
}
