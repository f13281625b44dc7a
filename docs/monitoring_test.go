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

	"go.yaml.in/yaml/v4"

	"castellan/bot/metrics"
	"castellan/bot/watch"
	"castellan/lichess"
)

// series are the metrics that there are, with their kinds and labels.
type series map[string]struct {
	kind   string
	labels []string
}

// allMetrics makes every metric appear and reads what is served.
func allMetrics(t *testing.T) series {
	t.Helper()
	m := metrics.New(metrics.Sources{State: watch.NewState(), EventsHeard: time.Now, Limits: func() []lichess.Limit { return nil }})
	m.Note(&watch.Decided{Speed: lichess.SpeedBlitz, Thought: &watch.Thought{}})
	m.Try(lichess.Try{Endpoint: "GET /", Status: 200})
	m.Problem(slog.LevelError)
	reply := httptest.NewRecorder()
	m.Handler().ServeHTTP(reply, httptest.NewRequest("GET", "/metrics", nil))
	found := series{}
	label := regexp.MustCompile(`([a-z_]+)="`)
	for lines := bufio.NewScanner(reply.Body); lines.Scan(); {
		line := lines.Text()
		if rest, isType := strings.CutPrefix(line, "# TYPE "); isType {
			name, kind, _ := strings.Cut(rest, " ")
			s := found[name]
			s.kind = kind
			found[name] = s
			continue
		}
		if strings.HasPrefix(line, "#") {
			continue
		}
		name, rest, _ := strings.Cut(line, "{")
		name = found.family(strings.Fields(name)[0])
		s := found[name]
		if rest != "" {
			for _, l := range label.FindAllStringSubmatch(rest, -1) {
				s.labels = append(s.labels, l[1])
			}
		}
		found[name] = s
	}
	return found
}

// family is the name of the metric that a sample belongs to, "" for none.
func (s series) family(sample string) string {
	if _, is := s[sample]; is {
		return sample
	}
	for _, end := range []string{"_bucket", "_sum", "_count"} {
		if name, has := strings.CutSuffix(sample, end); has && (s[name].kind == "histogram" || s[name].kind == "summary") {
			return name
		}
	}
	return ""
}

var (
	metricName  = regexp.MustCompile(`\b(?:castellan|go|process|promhttp)_[a-z0-9_]+`)
	selector    = regexp.MustCompile(`\b([a-z][a-z0-9_]+)\{([^}]*)\}`)
	selectLabel = regexp.MustCompile(`([a-z_]+)\s*(?:=~|!~|!=|=)`)
)

// faults says what is wrong with an expression: metrics that do not exist, labels that they do not have, counters that are not
// turned into rates, brackets that do not match.
func (s series) faults(expr string) (wrong []string) {
	for _, name := range metricName.FindAllString(expr, -1) {
		family := s.family(name)
		switch {
		case family == "":
			wrong = append(wrong, "there is no metric "+name)
		case s[family].kind == "counter" && !regexp.MustCompile(`(?:rate|increase)\(`+name).MatchString(expr):
			wrong = append(wrong, "the counter "+name+" is used without rate or increase")
		}
	}
	for _, found := range selector.FindAllStringSubmatch(expr, -1) {
		for _, l := range selectLabel.FindAllStringSubmatch(found[2], -1) {
			if label := l[1]; label != "instance" && !slices.Contains(s[s.family(found[1])].labels, label) {
				wrong = append(wrong, fmt.Sprintf("%s has no label %s", found[1], label))
			}
		}
	}
	for _, pair := range []string{"()", "{}", "[]"} {
		if strings.Count(expr, pair[:1]) != strings.Count(expr, pair[1:]) {
			wrong = append(wrong, "the brackets "+pair+" do not match")
		}
	}
	if !metricName.MatchString(expr) {
		wrong = append(wrong, "it asks for no metric of ours")
	}
	return wrong
}

func TestExpressionFaultsAreSeen(t *testing.T) {
	known := allMetrics(t)
	for expr, want := range map[string]string{
		`sum(rate(castellan_games_total{speed="blitz"}[5m]))`: "",
		`castellan_event_stream_connected == 0`:               "",
		`castellan_game_total`:                                "no metric castellan_game_total",
		`castellan_games_total > 3`:                           "without rate",
		`rate(castellan_games_total{color="white"}[5m])`:      "no label color",
		`rate(castellan_games_total[5m]`:                      "do not match",
		`castellan_games_running_bucket`:                      "no metric castellan_games_running_bucket",
		`up == 0`:                                             "no metric of ours",
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
			for _, name := range metricName.FindAllString(target.Expr, -1) {
				used[known.family(name)] = true
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
		if known.family(name[1]) == "" {
			t.Errorf("monitoring.md names %s, which there is not", name[1])
		}
	}
}
