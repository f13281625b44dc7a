package docs_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http/httptest"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/promql/parser"
	"go.yaml.in/yaml/v4"

	"castellan/bot/metrics"
	"castellan/bot/watch"
	"castellan/lichess"
)

// series are the metrics that there are, by the name of their family.
type series map[string]family

// family is what is known of a metric: its kind, and its labels with the values that they have been seen to have.
type family struct {
	kind   string
	labels map[string]map[string]bool
}

// allMetrics makes every metric appear and reads what is served.
func allMetrics(t *testing.T) series {
	t.Helper()
	m := metrics.New(metrics.Sources{State: watch.NewState(), EventsHeard: time.Now, Limits: func() []lichess.Limit { return nil }})
	m.Note(&watch.Decided{Speed: lichess.SpeedBlitz, Thought: &watch.Thought{}})
	m.Try(lichess.Try{Endpoint: "GET /", Status: 200})
	m.Try(lichess.Try{Endpoint: "GET /"})
	m.Problem(slog.LevelError)
	reply := httptest.NewRecorder()
	m.Handler().ServeHTTP(reply, httptest.NewRequest("GET", "/metrics", nil))
	found := series{}
	label := regexp.MustCompile(`([a-z_]+)="([^"]*)"`)
	for lines := bufio.NewScanner(reply.Body); lines.Scan(); {
		line := lines.Text()
		if rest, isType := strings.CutPrefix(line, "# TYPE "); isType {
			name, kind, _ := strings.Cut(rest, " ")
			found[name] = family{kind, map[string]map[string]bool{}}
			continue
		}
		if strings.HasPrefix(line, "#") {
			continue
		}
		sample, labels, _ := strings.Cut(line, "{")
		for _, l := range label.FindAllStringSubmatch(labels, -1) {
			known := found[found.family(strings.Fields(sample)[0])].labels
			if known[l[1]] == nil {
				known[l[1]] = map[string]bool{}
			}
			known[l[1]][l[2]] = true
		}
	}
	return found
}

// family is the name of the metric that a sample belongs to, "" for none.
func (s series) family(sample string) string {
	for _, end := range []string{"_bucket", "_sum", "_count"} {
		if name, has := strings.CutSuffix(sample, end); has && (s[name].kind == "histogram" || s[name].kind == "summary") {
			return name
		}
	}
	// Of a histogram itself there is no sample.
	if kind := s[sample].kind; kind != "" && kind != "histogram" {
		return sample
	}
	return ""
}

// open are the labels whose values are not counted up from the start: for these any value is one, or any of a form.
var open = map[string]*regexp.Regexp{
	"instance": regexp.MustCompile(``), // Prometheus's own
	"endpoint": regexp.MustCompile(`^(GET|POST) /`),
	"code":     regexp.MustCompile(`^([1-5][0-9][0-9]|none|other)$`),
	"source":   regexp.MustCompile(`^[a-z ]+$`),
	"reason":   regexp.MustCompile(`^[a-zA-Z]*$`),
	"version":  regexp.MustCompile(``),
}

// uses returns the families that an expression asks for.
func (s series) uses(expr string) (names []string) {
	tree, err := promql.ParseExpr(expand(expr))
	if err != nil {
		return nil
	}
	parser.Inspect(tree, func(n parser.Node, _ []parser.Node) error {
		if v, is := n.(*parser.VectorSelector); is {
			names = append(names, s.family(v.Name))
		}
		return nil
	})
	return names
}

var promql = parser.NewParser(parser.Options{})

// expand puts what Grafana would in the place of its variables.
func expand(expr string) string {
	return strings.NewReplacer("$__rate_interval", "1m", "$instance", ".*").Replace(expr)
}

// faults says what is wrong with an expression: what Prometheus does not understand, metrics that do not exist, labels that they
// do not have or values that these never have, counters that are not turned into rates.
func (s series) faults(expr string) (wrong []string) {
	tree, err := promql.ParseExpr(expand(expr))
	if err != nil {
		return []string{err.Error()}
	}
	asked := false
	parser.Inspect(tree, func(n parser.Node, above []parser.Node) error {
		switch n := n.(type) {
		case *parser.VectorSelector:
			asked = true
			wrong = append(wrong, s.selectorFaults(n, above)...)
		case *parser.AggregateExpr:
			// What is summed up by a label has to have it.
			for _, name := range s.uses(n.Expr.String()) {
				for _, l := range n.Grouping {
					if !s.has(name, l) {
						wrong = append(wrong, fmt.Sprintf("%s has no label %s", name, l))
					}
				}
			}
		}
		return nil
	})
	if !asked {
		wrong = append(wrong, "it asks for no metric")
	}
	return wrong
}

// has reports whether a metric has a label once Prometheus has read it.
func (s series) has(name, label string) bool {
	return label == "instance" || s[name].labels[label] != nil
}

// rates are the functions that make a speed or a difference out of a counter; an absent counter is no number either.
var rates = []string{"rate", "irate", "increase", "absent", "absent_over_time"}

func (s series) selectorFaults(v *parser.VectorSelector, above []parser.Node) (wrong []string) {
	name := s.family(v.Name)
	if name == "" {
		return []string{"there is no metric " + v.Name}
	}
	counts := s[name].kind == "counter" || name != v.Name
	if counts && !slices.ContainsFunc(above, func(n parser.Node) bool {
		call, is := n.(*parser.Call)
		return is && slices.Contains(rates, call.Func.Name)
	}) {
		wrong = append(wrong, "the counter "+v.Name+" is used without rate or increase")
	}
	for _, m := range v.LabelMatchers {
		if m.Name == "__name__" { // the metric itself
			continue
		}
		if !s.has(name, m.Name) {
			wrong = append(wrong, fmt.Sprintf("%s has no label %s", v.Name, m.Name))
			continue
		}
		for _, value := range alternatives(m) {
			form := open[m.Name]
			if form == nil && !s[name].labels[m.Name][value] || form != nil && !form.MatchString(value) {
				wrong = append(wrong, fmt.Sprintf("%s of %s is never %q", m.Name, v.Name, value))
			}
		}
	}
	return wrong
}

// alternatives are the values that a matcher names one by one; none for a pattern.
func alternatives(m *labels.Matcher) []string {
	if m.Type == labels.MatchEqual || m.Type == labels.MatchNotEqual {
		return []string{m.Value}
	}
	return m.SetMatches()
}

func TestExpressionFaultsAreSeen(t *testing.T) {
	known := allMetrics(t)
	for expr, want := range map[string]string{
		`sum(rate(castellan_games_total{speed="blitz"}[5m]))`:                          "",
		`castellan_event_stream_connected == 0`:                                        "",
		`increase(castellan_http_requests_total{code=~"401|403"}[10m])`:                "",
		`rate(castellan_http_requests_total{instance=~"$instance"}[$__rate_interval])`: "",
		`castellan_game_total`:                                          "no metric castellan_game_total",
		`castellan_games_total > 3`:                                     "without rate",
		`rate(castellan_games_running[5m]) + castellan_games_total`:     "castellan_games_total is used without rate",
		`rate(castellan_games_total{color="white"}[5m])`:                "no label color",
		`rate(castellan_games_total{result="won"}[5m])`:                 `never "won"`,
		`rate(castellan_games_total[5m]`:                                "parse error",
		`castellan_games_running_bucket`:                                "no metric castellan_games_running_bucket",
		`castellan_move_latency_seconds`:                                "no metric castellan_move_latency_seconds",
		`castellan_move_latency_seconds_bucket`:                         "without rate",
		`sum by (color) (rate(castellan_games_total[5m]))`:              "no label color",
		`castellan_event_stream_connected == == by 0 sum`:               "parse error",
		`castellan_event_stream_connected[5m] > 1`:                      "parse error",
		`increase(castellan_http_requests_total{code="42a9"}[15m]) > 3`: `never "42a9"`,
		`increase(castellan_http_requests_total{code=~"401|4o3"}[15m])`: `never "4o3"`,
		`increase(castellan_log_messages_total{level="eror"}[15m]) > 0`: `never "eror"`,
		`increase(castellan_stream_losses_total{stream="games"}[15m])`:  `never "games"`,
		`up == 0`:       "no metric up",
		`vector(1) > 0`: "no metric",
	} {
		got := strings.Join(known.faults(expr), "; ")
		if want == "" && got != "" || !strings.Contains(got, want) {
			t.Errorf("%s: %q, want %q", expr, got, want)
		}
	}
}

func TestDashboard(t *testing.T) {
	content, err := os.ReadFile("monitoring/dashboard.json")
	if err != nil {
		t.Fatal(err)
	}
	var board struct {
		Title      string
		Templating struct {
			List []struct{ Name string }
		}
		Panels []struct {
			ID      int
			Title   string
			GridPos struct{ X, Y, W, H int }
			Targets []struct{ Expr string }
		}
	}
	if err := json.Unmarshal(content, &board); err != nil {
		t.Fatal(err)
	}
	if len(board.Panels) < 10 {
		t.Fatalf("%d panels", len(board.Panels))
	}
	known, used := allMetrics(t), map[string]bool{}
	taken := map[[2]int]string{}
	for _, p := range board.Panels {
		if len(p.Targets) == 0 {
			t.Errorf("%s asks for nothing", p.Title)
		}
		for _, target := range p.Targets {
			for _, fault := range known.faults(target.Expr) {
				t.Errorf("%s: %s: %s", p.Title, target.Expr, fault)
			}
			for _, name := range known.uses(target.Expr) {
				used[name] = true
			}
		}
		for x := p.GridPos.X; x < p.GridPos.X+p.GridPos.W; x++ {
			for y := p.GridPos.Y; y < p.GridPos.Y+p.GridPos.H; y++ {
				if other := taken[[2]int{x, y}]; other != "" {
					t.Fatalf("%s lies on %s", p.Title, other)
				}
				taken[[2]int{x, y}] = p.Title
			}
		}
	}
	for name := range known {
		if strings.HasPrefix(name, "castellan_") && !used[name] && name != "castellan_build_info" {
			t.Errorf("no panel shows %s", name)
		}
	}
}

func TestAlerts(t *testing.T) {
	content, err := os.ReadFile("monitoring/alerts.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Groups []struct {
			Name  string
			Rules []struct {
				Alert, Expr, For    string
				Labels, Annotations map[string]string
			}
		}
	}
	if err := yaml.Load(content, &file, yaml.WithKnownFields()); err != nil {
		t.Fatal(err)
	}
	known, names := allMetrics(t), map[string]bool{}
	for _, group := range file.Groups {
		for _, rule := range group.Rules {
			for _, fault := range known.faults(rule.Expr) {
				t.Errorf("%s: %s: %s", rule.Alert, rule.Expr, fault)
			}
			if rule.Alert == "" || names[rule.Alert] || rule.Labels["severity"] == "" || rule.Annotations["summary"] == "" || rule.Annotations["description"] == "" {
				t.Errorf("%q lacks a name of its own, a severity, a summary or a description", rule.Alert)
			}
			names[rule.Alert] = true
			if rule.For != "" {
				if _, err := time.ParseDuration(rule.For); err != nil {
					t.Errorf("%s: %v", rule.Alert, err)
				}
			}
		}
	}
	if len(names) < 5 {
		t.Errorf("%d alerts", len(names))
	}
}

// TestMonitoringPageNamesEveryMetric keeps the page's table complete.
func TestMonitoringPageNamesEveryMetric(t *testing.T) {
	page, err := os.ReadFile("monitoring.md")
	if err != nil {
		t.Fatal(err)
	}
	known := allMetrics(t)
	for name := range known {
		if strings.HasPrefix(name, "castellan_") && !strings.Contains(string(page), "| `"+name+"` |") {
			t.Errorf("monitoring.md does not name %s", name)
		}
	}
	for _, name := range regexp.MustCompile("(?m)^\\| `(castellan_[a-z_]+)` \\|").FindAllStringSubmatch(string(page), -1) {
		if _, is := known[name[1]]; !is {
			t.Errorf("monitoring.md names %s, which there is not", name[1])
		}
	}
}
