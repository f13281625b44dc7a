package lichess

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// allEndpoints are the endpoints of the client by the names of their variables.
var allEndpoints = map[string]*endpoint{
	"epTokenTest": epTokenTest, "epAccount": epAccount, "epPlaying": epPlaying, "epUpgrade": epUpgrade,
	"epOnlineBots": epOnlineBots, "epUsersStatus": epUsersStatus, "epExport": epExport, "epEvents": epEvents, "epGame": epGame,
	"epMove": epMove, "epAbort": epAbort, "epResign": epResign, "epDraw": epDraw, "epTakeback": epTakeback,
	"epClaimVictory": epClaimVictory, "epClaimDraw": epClaimDraw, "epChat": epChat, "epReadChat": epReadChat,
	"epChallenges": epChallenges, "epShow": epShow, "epChallenge": epChallenge, "epChallengeAI": epChallengeAI,
	"epAccept": epAccept, "epDecline": epDecline, "epCancel": epCancel,
	"epArena": epArena, "epArenaJoin": epArenaJoin, "epArenaLeave": epArenaLeave,
}

// ownCode parses the files of a folder that are no tests.
func ownCode(t *testing.T, dir string) (files []*ast.File) {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil || len(names) == 0 {
		t.Fatalf("no code in %s: %v", dir, err)
	}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, file)
	}
	return files
}

// TestAllEndpointsAreAll compares the table above with the code.
func TestAllEndpointsAreAll(t *testing.T) {
	var found []string
	for _, file := range ownCode(t, ".") {
		ast.Inspect(file, func(n ast.Node) bool {
			if spec, ok := n.(*ast.ValueSpec); ok && len(spec.Values) == 1 {
				if literal := fmt.Sprint(typeOf(spec.Values[0])); literal == "endpoint" {
					found = append(found, spec.Names[0].Name)
				}
			}
			return true
		})
	}
	slices.Sort(found)
	if table := slices.Sorted(maps.Keys(allEndpoints)); !slices.Equal(found, table) {
		t.Errorf("the code has the endpoints %v\nthe table of this test %v", found, table)
	}
}

// typeOf returns the type of &T{…}, nil when the expression is none.
func typeOf(e ast.Expr) ast.Expr {
	if address, ok := e.(*ast.UnaryExpr); ok {
		if literal, ok := address.X.(*ast.CompositeLit); ok {
			return literal.Type
		}
	}
	return nil
}

// withoutEndpoint are the methods of the client that ask the server for nothing.
var withoutEndpoint = []string{"Close", "Username", "URL", "LimitedUntil", "Limits", "Doubts", "EventsHeard", "BotGamesLeft", "Recall"}

var cellName = regexp.MustCompile("`([^`]+)`")

// TestAPIPage holds the page on the API against the code.
func TestAPIPage(t *testing.T) {
	page, err := os.ReadFile("../docs/api.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, fault := range pageFaults(string(page), callers(t)) {
		t.Error("docs/api.md: " + fault)
	}
}

// pageFaults compares the page with the endpoints of the client. callers tells
// for each method of the client the packages that call it.
func pageFaults(page string, callers map[string][]string) (faults []string) {
	rows := map[string][]string{}
	for line := range strings.Lines(page) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		if name := strings.Trim(cells[0], "`"); len(cells) == 8 && strings.Contains(name, " /") {
			if rows[name] != nil {
				faults = append(faults, name+" is listed twice")
			}
			rows[name] = cells
		}
	}
	methods := map[string]bool{}
	for _, ep := range allEndpoints {
		cells := rows[ep.String()]
		if cells == nil {
			faults = append(faults, fmt.Sprintf("%s is missing", ep))
			continue
		}
		var users []string
		for _, method := range names(cells[1]) {
			methods[method] = true
			users = append(users, callers[method]...)
		}
		slices.Sort(users)
		usedBy := "-"
		if users = slices.Compact(users); len(users) > 0 {
			usedBy = "`" + strings.Join(users, "` `") + "`"
		}
		for i, want := range []string{2: usedBy, 3: sentAgain(ep), 4: ep.feature.String(), 5: timeLimit(ep.timeout)} {
			if i >= 2 && cells[i] != want {
				faults = append(faults, fmt.Sprintf("%s: it says %q where the code has %q", ep, cells[i], want))
			}
		}
	}
	for name := range rows {
		if !slices.ContainsFunc(slices.Collect(maps.Values(allEndpoints)), func(ep *endpoint) bool { return ep.String() == name }) {
			faults = append(faults, name+" is no endpoint of the client")
		}
	}
	client := reflect.TypeFor[*Client]()
	for i := range client.NumMethod() {
		if name := client.Method(i).Name; !methods[name] && !slices.Contains(withoutEndpoint, name) {
			faults = append(faults, "no endpoint has the method "+name)
		}
		delete(methods, client.Method(i).Name)
	}
	for name := range methods {
		faults = append(faults, "the client has no method "+name)
	}
	slices.Sort(faults)
	return faults
}

func names(cell string) (list []string) {
	for _, m := range cellName.FindAllStringSubmatch(cell, -1) {
		list = append(list, m[1])
	}
	return list
}

// sentAgain says what the page says of an endpoint that is repeated so.
func sentAgain(ep *endpoint) string {
	switch {
	case ep.timeout == 0:
		return "reopened"
	case ep.repeat == repeatSafe:
		return "yes"
	}
	return "unsent only"
}

func timeLimit(d time.Duration) string {
	if d == 0 {
		return ""
	}
	return fmt.Sprintf("%g s", d.Seconds())
}

// callers finds which of our packages call the methods of the client.
func callers(t *testing.T) map[string][]string {
	client, found := reflect.TypeFor[*Client](), map[string][]string{}
	for _, room := range []string{"bot", "cmd/castellan"} {
		for _, file := range ownCode(t, filepath.Join("..", room)) {
			ast.Inspect(file, func(n ast.Node) bool {
				selected, ok := n.(*ast.SelectorExpr)
				if !ok || !strings.HasSuffix(fmt.Sprint(lastName(selected.X)), "client") {
					return true
				}
				if _, ok := client.MethodByName(selected.Sel.Name); ok && !slices.Contains(found[selected.Sel.Name], room) {
					found[selected.Sel.Name] = append(found[selected.Sel.Name], room)
				}
				return true
			})
		}
	}
	return found
}

// lastName returns the name of a variable or field.
func lastName(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		return e.Sel.Name
	}
	return ""
}

// TestPageFaultsAreSeen gives the check pages that are wrong.
func TestPageFaultsAreSeen(t *testing.T) {
	data, err := os.ReadFile("../docs/api.md")
	if err != nil {
		t.Fatal(err)
	}
	page, known := string(data), callers(t)
	move := "| `POST /api/bot/game/{id}/move/{move}` | `Move` | `bot` | unsent only | game | " + timeLimit(epMove.timeout) + " |"
	for _, test := range []struct{ name, old, changed, want string }{
		{"retried", move, strings.Replace(move, "unsent only", "yes", 1), `it says "yes" where the code has "unsent only"`},
		{"group", move, strings.Replace(move, "game |", "chat |", 1), `it says "chat"`},
		{"user", move, strings.Replace(move, "`bot`", "-", 1), `it says "-"`},
		{"missing", move, "| x |", "move/{move} is missing"},
		{"invented", "## What", "| `GET /api/x` | `X` | - | yes | game | 1 s | | |\n## What", "GET /api/x is no endpoint"},
		{"method", "`ReadChat`", "`WriteChat`", "the client has no method WriteChat"},
	} {
		changed := strings.Replace(page, test.old, test.changed, 1)
		if faults := strings.Join(pageFaults(changed, known), "\n"); !strings.Contains(faults, test.want) {
			t.Errorf("%s: found %q, want %q", test.name, faults, test.want)
		}
	}
}

// TestCallsSayWhatTheyAreAbout: a line of the log about a game, a challenge or an arena has its id under that name.
func TestCallsSayWhatTheyAreAbout(t *testing.T) {
	for _, tt := range []struct {
		endpoint *endpoint
		args     []string
		want     string
	}{
		{epGame, []string{"abcdefgh"}, "game=abcdefgh"},
		{epMove, []string{"abcdefgh", "e2e4"}, "game=abcdefgh"},
		{epExport, []string{"abcdefgh"}, "game=abcdefgh"},
		{epDecline, []string{"abcdefgh"}, "challenge=abcdefgh"},
		{epArenaJoin, []string{"abcdefgh"}, "arena=abcdefgh"},
		{epChallenge, []string{"somebody"}, ""},
		{epAccount, nil, ""},
	} {
		got := tt.endpoint.about(tt.args)
		if tt.want == "" && !got.Equal(slog.Attr{}) || tt.want != "" && got.String() != tt.want {
			t.Errorf("%s %v: %s, want %s", tt.endpoint, tt.args, got, tt.want)
		}
	}
}
