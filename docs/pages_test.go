package docs_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"castellan/config"
)

// pages returns the texts for people, by their paths from the root.
func pages(t *testing.T) map[string]string {
	t.Helper()
	found := map[string]string{}
	names, err := filepath.Glob("*.md")
	if err != nil || len(names) < 10 {
		t.Fatalf("%d pages: %v", len(names), err)
	}
	for _, name := range append(names, "../README.md", "../CONTRIBUTING.md") {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		found[filepath.Join("docs", name)] = string(text)
	}
	return found
}

var (
	settingName = regexp.MustCompile(`\bCASTELLAN_[A-Z0-9_]+(?:…|\*)?`)
	linkTarget  = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	heading     = regexp.MustCompile(`(?m)^#+ (.+)$`)
	notInAnchor = regexp.MustCompile(`[^\p{L}\p{N} _-]`)
	commandRow  = regexp.MustCompile("(?m)^\\| `castellan ([a-z]+)")
	commandName = regexp.MustCompile("(?m)^\t([A-Z][A-Za-z0-9]+) +[a-zA-Z]+Command +`cmd:\"\"(.*)")
)

// TestPagesNameSettingsThatExist wants each name of a setting to be one.
func TestPagesNameSettingsThatExist(t *testing.T) {
	var cfg config.Config
	known := []string{}
	for _, s := range cfg.Settings() {
		known = append(known, s.Variable)
	}
	named := 0
	for path, text := range pages(t) {
		for _, name := range settingName.FindAllString(text, -1) {
			if named++; name == "CASTELLAN_TREADS" {
				continue // an example of a misspelt one
			}
			begun := strings.TrimRight(name, "_…*") // of the names that begin so
			if !slices.ContainsFunc(known, func(k string) bool {
				return k == name || begun != name && strings.HasPrefix(k, begun+"_")
			}) {
				t.Errorf("%s names %s, and there is no such setting", path, name)
			}
		}
	}
	if named < 200 {
		t.Errorf("%d names were found, too few to be right", named)
	}
}

// TestPagesLinkToWhatIsThere follows the links within the repository.
func TestPagesLinkToWhatIsThere(t *testing.T) {
	all := pages(t)
	for path, text := range all {
		for _, link := range linkTarget.FindAllStringSubmatch(text, -1) {
			file, anchor, _ := strings.Cut(link[1], "#")
			if strings.Contains(file, "://") {
				continue
			}
			target := path
			if file != "" {
				target = filepath.Join(filepath.Dir(path), file)
			}
			if _, err := os.Stat(filepath.Join("..", target)); err != nil {
				t.Errorf("%s links to %s: %v", path, link[1], err)
				continue
			}
			if anchor == "" {
				continue
			}
			found := false
			for _, h := range heading.FindAllStringSubmatch(all[target], -1) {
				made := strings.ReplaceAll(notInAnchor.ReplaceAllString(strings.ToLower(h[1]), ""), " ", "-")
				found = found || made == anchor
			}
			if !found {
				t.Errorf("%s links to %s, and there is no such heading", path, link[1])
			}
		}
	}
}

// code returns all of the program's own source in one text, with string literals that are broken up put together.
func code(t *testing.T) string {
	t.Helper()
	var all strings.Builder
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		all.Write(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return regexp.MustCompile(`" ?\+\s*"`).ReplaceAllString(all.String(), "")
}

// TestMessagesExist looks the messages of troubleshooting.md up in the code.
func TestMessagesExist(t *testing.T) {
	page, err := os.ReadFile("troubleshooting.md")
	if err != nil {
		t.Fatal(err)
	}
	source := code(t)
	foreign := []string{"address already in use"} // of the system
	count := 0
	for _, row := range regexp.MustCompile("(?m)^\\| `([^`]+)` \\|").FindAllStringSubmatch(string(page), -1) {
		count++
		for part := range strings.SplitSeq(strings.TrimPrefix(row[1], "CASTELLAN_TOKEN: "), "…") {
			if part = strings.TrimSpace(strings.Trim(strings.TrimSpace(part), ",")); !strings.Contains(source, part) && !slices.Contains(foreign, part) {
				t.Errorf("troubleshooting.md has the message %q, and %q is not in the code", row[1], part)
			}
		}
	}
	if count < 30 {
		t.Errorf("%d messages were found, too few to be right", count)
	}
}

// TestReadmeHasAllCommands compares its table with the command line.
func TestReadmeHasAllCommands(t *testing.T) {
	source, err := os.ReadFile("../cmd/castellan/main.go")
	if err != nil {
		t.Fatal(err)
	}
	var there, told []string
	for _, m := range commandName.FindAllStringSubmatch(string(source), -1) {
		if !strings.Contains(m[2], `hidden:""`) {
			there = append(there, strings.ToLower(m[1]))
		}
	}
	for _, m := range commandRow.FindAllStringSubmatch(pages(t)["README.md"], -1) {
		told = append(told, m[1])
	}
	slices.Sort(there)
	slices.Sort(told)
	if told = slices.Compact(told); len(there) < 15 || !slices.Equal(there, told) {
		t.Errorf("the commands are %v, and README.md has %v", there, told)
	}
}

// TestServiceUnit starts no systemd: it holds the unit against the settings.
func TestServiceUnit(t *testing.T) {
	unit, err := os.ReadFile("castellan.service")
	if err != nil {
		t.Fatal(err)
	}
	env := map[string]string{}
	lines := map[string]string{}
	for line := range strings.Lines(string(unit)) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), "=")
		if key == "Environment" {
			name, value, _ := strings.Cut(value, "=")
			env[name] = value
			continue
		}
		lines[key] = value
	}
	if len(env) < 5 || env["CASTELLAN_TOKEN_FILE"] != "%d/token" || !strings.HasPrefix(lines["LoadCredential"], "token:") {
		t.Errorf("the token is not handed over: %v", env)
	}
	cfg := loadSettings(t, env)
	checkPaths(t, env, []string{"%d"}, []string{"/var/lib/" + lines["StateDirectory"]})
	if minutes := strings.TrimSuffix(lines["TimeoutStopSec"], "min"); cfg.Shutdown != "finish" || minutes != "11" || cfg.ShutdownLimit.String() != "10m" {
		t.Errorf("it is stopped after %s, with CASTELLAN_SHUTDOWN=%s and a limit of %v", lines["TimeoutStopSec"], cfg.Shutdown, cfg.ShutdownLimit)
	}
	for key, want := range map[string]string{
		"ExecStart": "/usr/local/bin/castellan run", "DynamicUser": "yes", "NoNewPrivileges": "yes", "ProtectSystem": "strict", "RestartPreventExitStatus": "2",
		"KillMode": "mixed", // an engine that is a process of its own plays on
	} {
		if lines[key] != want {
			t.Errorf("%s=%s, want %s", key, lines[key], want)
		}
	}
}
