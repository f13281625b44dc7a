package sandbox_test

import (
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"castellan/lichess"
	"castellan/lichess/sandbox"
)

// wholeRun runs the tests and then tells what none of them has held against
// the description: an endpoint, a refusal, a state or a line that the server
// can give. It says nothing of a run of some tests only.
type wholeRun struct{ *testing.M }

func (w wholeRun) Run() int {
	code := w.M.Run()
	for _, part := range []string{"test.run", "test.skip", "test.list", "test.fuzz"} {
		if f := flag.Lookup(part); f != nil && f.Value.String() != "" {
			return code
		}
	}
	if doc, err := description(); code != 0 || doc == nil || err != nil {
		return code
	}
	missing, err := notSeen()
	if err != nil {
		missing = append(missing, err.Error())
	}
	for _, m := range missing {
		fmt.Println("FAIL: no test holds against the official description:", m)
		code = 1
	}
	for _, e := range exceptions {
		if !e.used.Load() {
			fmt.Printf("FAIL: no test needs the exception %s of %s: %s\n", e.fault, e.operation, e.why)
			code = 1
		}
	}
	return code
}

// notSeen lists what the server can give and no test has met.
func notSeen() (missing []string, err error) {
	want := func(kind string, names ...string) {
		seen := exchanges.all(kind)
		for _, name := range names {
			if !slices.Contains(seen, name) {
				missing = append(missing, kind+" "+name)
			}
		}
	}
	want("route", sandbox.Patterns()...)
	for _, api := range []string{"bot", "board"} { // both are behind one pattern
		want("operation", "GET /api/"+api+"/game/stream/{gameId}", "GET /api/"+api+"/game/{gameId}/chat")
	}
	for _, status := range sandbox.GameStatuses() {
		want("game", string(status))
	}
	for _, status := range []lichess.ChallengeStatus{lichess.ChallengeCreated, lichess.ChallengeOffline, lichess.ChallengeCanceled,
		lichess.ChallengeDeclined, lichess.ChallengeAccepted} {
		want("challenge", string(status))
	}
	want("done", "accepted", "declined", "canceled")
	want("keep-alive", "GET /api/stream/event", "GET /api/bot/game/stream/{gameId}", "POST /api/challenge/{username}")
	doc, err := description()
	if err != nil {
		return missing, err
	}
	for _, path := range []string{"/api/stream/event", "/api/bot/game/stream/{gameId}"} {
		lines := doc.Paths.Value(path).Get.Responses.Status(http.StatusOK).Value.Content["application/x-ndjson"]
		for _, alternative := range lines.Schema.Value.OneOf {
			want("line", fmt.Sprint(alternative.Value.Properties["type"].Value.Const))
		}
	}
	texts, err := refusals()
	seen := exchanges.all("refusal")
	for _, text := range texts {
		if _, ok := outOfReach[text]; !ok && !slices.ContainsFunc(seen, asPattern(text).MatchString) {
			missing = append(missing, "refusal "+text)
		}
	}
	return missing, err
}

// outOfReach are refusals that no test can provoke at will.
var outOfReach = map[string]string{
	"The server is closing":               "needs a request that arrives in the moment of closing",
	"The request body cannot be read: %v": "needs a connection that breaks in the middle of a request, and then nobody hears the answer",
}

// refusals reads the texts of all refusals out of the package's own code.
func refusals() (texts []string, err error) {
	entries, err := fs.Glob(os.DirFS("."), "*.go")
	if err != nil {
		return nil, err
	}
	// The place of the text among the arguments of what makes a refusal.
	place := map[string]int{"badRequest": 0, "refuse": 1, "botLimited": 2}
	for _, name := range entries {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			return nil, err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			called, _ := call.Fun.(*ast.Ident)
			if called == nil {
				return true
			}
			if at, ok := place[called.Name]; ok {
				if text := literal(call.Args[at]); text != "" {
					texts = append(texts, text)
				}
			}
			return true
		})
	}
	if len(texts) < 50 {
		return texts, fmt.Errorf("%d refusals were found in the code, too few to be right", len(texts))
	}
	return texts, nil
}

// literal returns the value of a text in the code, "" when it is none.
func literal(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.BasicLit:
		text, _ := strconv.Unquote(e.Value)
		return text
	case *ast.BinaryExpr:
		return literal(e.X) + literal(e.Y)
	}
	return ""
}

var verb = regexp.MustCompile(`%[a-z]`)

// asPattern returns what matches the texts that a format can give.
func asPattern(format string) *regexp.Regexp {
	return regexp.MustCompile("^" + verb.ReplaceAllString(regexp.QuoteMeta(format), ".*") + "$")
}
