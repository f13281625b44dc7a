// Package metrics counts what a bot does, for Prometheus: it takes the events that the bot publishes and the tries that the client
// tells of, and serves what it has counted. Names and units follow Prometheus's conventions (https://prometheus.io/docs/practices/naming).
// No name of an account and no id of a game is ever a label, so that there are no more series after a year than after a day.
package metrics

import (
	"log/slog"
	"net/http"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"castellan/bot/watch"
	"castellan/lichess"
)

// scrapesAtOnce bounds the scrapes that are answered at a time.
const scrapesAtOnce = 4

// Sources are where the values come from that are asked for at each scrape.
type Sources struct {
	Version string
	State   *watch.State
	// EventsHeard returns when the last line of the event stream came, the zero time for never.
	EventsHeard func() time.Time
	// Limits lists the server's limits in force.
	Limits func() []lichess.Limit
}

// Metrics holds all that is counted. It is safe for use by many goroutines.
type Metrics struct {
	registry *prometheus.Registry

	games      *prometheus.CounterVec
	moves      *prometheus.CounterVec
	think      *prometheus.HistogramVec
	latency    prometheus.Histogram
	overhead   prometheus.Histogram
	nodes      prometheus.Counter
	searched   prometheus.Counter
	depth      prometheus.Histogram
	challenges *prometheus.CounterVec
	made       prometheus.Counter
	lost       *prometheus.CounterVec
	requests   *prometheus.CounterVec
	problems   *prometheus.CounterVec
}

// New returns the metrics of one bot.
func New(s Sources) *Metrics {
	m := &Metrics{
		registry: prometheus.NewRegistry(),
		games: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "castellan_games_total",
			Help: "Games that have ended, by speed and by result for the bot: win, draw, loss, aborted."}, []string{"speed", "result"}),
		moves: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "castellan_moves_total",
			Help: "Moves that the bot has found, by where they come from."}, []string{"source"}),
		think: prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: "castellan_move_think_seconds",
			Help:    "Time used to find a move, waits for a thread included; in the opponent's time too when the bot ponders.",
			Buckets: []float64{0.001, 0.005, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60}}, []string{"speed"}),
		latency: prometheus.NewHistogram(prometheus.HistogramOpts{Name: "castellan_move_latency_seconds",
			Help:    "Time from sending a move to seeing it on the game's stream: the way to the server, the server, and the way back.",
			Buckets: []float64{0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10}}),
		overhead: prometheus.NewHistogram(prometheus.HistogramOpts{Name: "castellan_move_overhead_seconds",
			Help:    "Time that a move cost on the server's clock beyond the thinking.",
			Buckets: []float64{0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10}}),
		nodes: prometheus.NewCounter(prometheus.CounterOpts{Name: "castellan_search_nodes_total",
			Help: "Positions that the search has looked at. Divided by castellan_search_seconds_total: nodes per second."}),
		searched: prometheus.NewCounter(prometheus.CounterOpts{Name: "castellan_search_seconds_total",
			Help: "Time that searches took, of all games together."}),
		depth: prometheus.NewHistogram(prometheus.HistogramOpts{Name: "castellan_search_depth_plies",
			Help: "Depth that a search has finished.", Buckets: []float64{0, 4, 8, 10, 12, 14, 16, 18, 20, 24, 28, 34, 40, 60}}),
		challenges: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "castellan_challenges_total",
			Help: "Challenges answered, by decision (accepted, declined) and by the reason given to the challenger."}, []string{"decision", "reason"}),
		made: prometheus.NewCounter(prometheus.CounterOpts{Name: "castellan_challenges_made_total",
			Help: "Challenges that the bot has made itself."}),
		lost: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "castellan_stream_losses_total",
			Help: "Streams that were lost or could not be opened, and were opened anew, by kind: events, game."}, []string{"stream"}),
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "castellan_http_requests_total",
			Help: "Requests to the server, repetitions and openings of streams included, by endpoint and HTTP status; none for no answer. 429 is a limit that was met."},
			[]string{"endpoint", "code"}),
		problems: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "castellan_log_messages_total",
			Help: "Lines of the log at level warn and error."}, []string{"level"}),
	}
	m.registry.MustRegister(m.games, m.moves, m.think, m.latency, m.overhead, m.nodes, m.searched, m.depth, m.challenges, m.made, m.lost, m.requests, m.problems,
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	m.ask(s)
	m.begin()
	return m
}

// ask registers what is asked for at each scrape.
func (m *Metrics) ask(s Sources) {
	gauge := func(name, help string, value func() float64) {
		m.registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help}, value))
	}
	info := prometheus.NewGauge(prometheus.GaugeOpts{Name: "castellan_build_info", Help: "1, with the version as a label.",
		ConstLabels: prometheus.Labels{"version": s.Version}})
	info.Set(1)
	m.registry.MustRegister(info, &running{state: s.State, desc: prometheus.NewDesc("castellan_games_running", "Games in play.", []string{"speed"}, nil)})
	gauge("castellan_event_stream_connected", "1 while the event stream is open, else 0.", func() float64 {
		if s.State.Snapshot().Connected {
			return 1
		}
		return 0
	})
	gauge("castellan_event_stream_last_line_timestamp_seconds",
		"When the last line of the event stream came, keep-alives included, or the stream was opened, in seconds since 1970; 0 for never.", func() float64 {
			now := s.State.Snapshot()
			heard := now.LastSign(s.EventsHeard())
			if heard.IsZero() {
				return 0
			}
			return float64(heard.UnixMilli()) / 1000
		})
	gauge("castellan_challenges_waiting", "Challenges that wait for a place.", func() float64 {
		return float64(len(s.State.Snapshot().Queue))
	})
	gauge("castellan_limits_in_force", "Limits of the server that hold back some kind of request now.", func() float64 {
		return float64(len(s.Limits()))
	})
}

// begin makes the series that there should be from the start: a counter that appears with its first event has no increase to be
// seen.
func (m *Metrics) begin() {
	for _, speed := range speeds {
		for _, result := range []string{watch.Win, watch.Draw, watch.Loss, watch.Aborted} {
			m.games.WithLabelValues(string(speed), result)
		}
		m.think.WithLabelValues(string(speed))
	}
	m.challenges.WithLabelValues("accepted", "")
	for _, stream := range []string{"events", "game"} {
		m.lost.WithLabelValues(stream)
	}
	for _, level := range []string{"warn", "error"} {
		m.problems.WithLabelValues(level)
	}
}

// speeds are the speeds that a bot can play at.
var speeds = []lichess.Speed{
	lichess.SpeedBullet, lichess.SpeedBlitz, lichess.SpeedRapid, lichess.SpeedClassical, lichess.SpeedCorrespondence,
}

// speedLabel is a speed as a label; what the network says is bounded by what is known.
func speedLabel(s lichess.Speed) string {
	for _, known := range speeds {
		if s == known {
			return string(s)
		}
	}
	return "other"
}

// running tells the games in play by speed.
type running struct {
	state *watch.State
	desc  *prometheus.Desc
}

// Describe names the metric.
func (r *running) Describe(to chan<- *prometheus.Desc) { to <- r.desc }

// Collect counts the games of this moment.
func (r *running) Collect(to chan<- prometheus.Metric) {
	count := map[string]int{}
	for _, s := range speeds {
		count[string(s)] = 0
	}
	for _, g := range r.state.Snapshot().Games {
		count[speedLabel(g.Full.Speed)]++
	}
	for speed, n := range count {
		to <- prometheus.MustNewConstMetric(r.desc, prometheus.GaugeValue, float64(n), speed)
	}
}

// Note takes what the bot publishes.
func (m *Metrics) Note(event watch.Event) {
	switch e := event.(type) {
	case *watch.Decided:
		m.decided(e)
	case *watch.Echo:
		m.latency.Observe(e.Took.Seconds())
	case *watch.Game:
		if e.Over() {
			m.games.WithLabelValues(speedLabel(e.Full.Speed), e.Outcome()).Inc()
		}
		if e.Moved {
			if spent, ok := e.SpentBeyondThinking(); ok {
				m.overhead.Observe(spent.Seconds())
			}
		}
	case *watch.Challenge:
		decision := "accepted"
		if e.Reason != "" {
			decision = "declined"
		}
		m.challenges.WithLabelValues(decision, string(e.Reason)).Inc()
	case *watch.Own:
		if e.To != "" {
			m.made.Inc()
		}
	case *watch.Stream:
		if e.Err != nil {
			kind := "events"
			if e.Game != "" {
				kind = "game"
			}
			m.lost.WithLabelValues(kind).Inc()
		}
	}
}

func (m *Metrics) decided(e *watch.Decided) {
	m.moves.WithLabelValues(e.Source.String()).Inc()
	m.think.WithLabelValues(speedLabel(e.Speed)).Observe(e.Time.Seconds())
	if e.Nodes > 0 {
		m.nodes.Add(float64(e.Nodes))
		m.searched.Add(e.Time.Seconds())
		m.depth.Observe(float64(e.Depth))
	}
}

// Try takes a request to the server.
func (m *Metrics) Try(t lichess.Try) {
	code := "none"
	if t.Status >= 100 && t.Status <= 599 {
		code = strconv.Itoa(t.Status)
	} else if t.Status != 0 {
		code = "other"
	}
	m.requests.WithLabelValues(t.Endpoint, code).Inc()
}

// Problem takes the level of a line of the log.
func (m *Metrics) Problem(level slog.Level) {
	name := "warn"
	if level >= slog.LevelError {
		name = "error"
	}
	m.problems.WithLabelValues(name).Inc()
}

// Handler serves the metrics.
func (m *Metrics) Handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{MaxRequestsInFlight: scrapesAtOnce, Registry: m.registry})
}
