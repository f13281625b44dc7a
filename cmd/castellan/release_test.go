package main

import (
	"bytes"
	"crypto/sha256"
	"debug/buildinfo"
	"debug/elf"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// TestRelease makes a release for this machine twice and looks at what is in it.
func TestRelease(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles the program")
	}
	if _, err := exec.LookPath("make"); err != nil {
		t.Skip("make is not here:", err)
	}
	const version = "v9.8.7-test"
	name := fmt.Sprintf("castellan_%s_%s_%s", version, runtime.GOOS, runtime.GOARCH)
	release := func() (dir string) {
		t.Helper()
		dir = t.TempDir()
		cmd := exec.Command("make", "-s", "release", "VERSION="+version, "TARGETS="+runtime.GOOS+"/"+runtime.GOARCH, "DIST="+dir)
		cmd.Dir = "../.."
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("make release: %v\n%s", err, out)
		}
		return dir
	}
	read := func(path ...string) []byte {
		t.Helper()
		content, err := os.ReadFile(filepath.Join(path...))
		if err != nil {
			t.Fatal(err)
		}
		return content
	}
	dir := release()
	program := filepath.Join(dir, name)
	if out, err := exec.Command(program, "version").CombinedOutput(); err != nil || !strings.HasPrefix(string(out), "castellan "+version+" ") {
		t.Errorf("castellan version: %v %s", err, out)
	}
	if file, err := elf.Open(program); err == nil {
		if libraries, err := file.ImportedLibraries(); err != nil || len(libraries) > 0 {
			t.Errorf("the program is not static: it wants %v %v", libraries, err)
		}
		file.Close()
	} else if runtime.GOOS == "linux" {
		t.Error(err)
	}

	// The checksums are those of all files.
	sums := strings.Fields(string(read(dir, "SHA256SUMS")))
	var summed []string
	for pair := range slices.Chunk(sums, 2) {
		if got := fmt.Sprintf("%x", sha256.Sum256(read(dir, pair[1]))); got != pair[0] {
			t.Errorf("the checksum of %s is %s, not %s", pair[1], got, pair[0])
		}
		summed = append(summed, pair[1])
	}
	slices.Sort(summed)
	if want := []string{"LICENSE", "LICENSES.txt", name, name + ".cdx.json"}; !slices.Equal(summed, want) {
		t.Errorf("checksums of %v, want %v", summed, want)
	}

	// What is told of the program's parts is what its build info says.
	info, err := buildinfo.ReadFile(program)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"std@" + info.GoVersion}
	for _, m := range info.Deps {
		want = append(want, m.Path+"@"+m.Version)
	}
	var parts struct {
		BOMFormat  string
		Components []struct{ Name, Version string }
		Metadata   struct {
			Component struct{ Name, Version string }
		}
	}
	if err := json.Unmarshal(read(dir, name+".cdx.json"), &parts); err != nil {
		t.Fatal(err)
	}
	var told []string
	for _, c := range parts.Components {
		if c.Name == "std" {
			c.Version = "go" + strings.TrimPrefix(c.Version, "go")
		}
		told = append(told, c.Name+"@"+c.Version)
	}
	slices.Sort(want)
	slices.Sort(told)
	if len(want) < 8 || !slices.Equal(told, want) {
		t.Errorf("the bill of materials has %v, the program %v", told, want)
	}
	if parts.BOMFormat != "CycloneDX" || parts.Metadata.Component.Name != "castellan" || parts.Metadata.Component.Version != version {
		t.Errorf("the bill of materials is of %+v", parts.Metadata.Component)
	}

	// Each module has its licence there.
	licences := string(read(dir, "LICENSES.txt"))
	for _, m := range info.Deps {
		_, text, found := strings.Cut(licences, "=== "+m.Path+" "+m.Version+"\n")
		text, _, _ = strings.Cut(text, "\n=== ")
		if !found || len(strings.Fields(text)) < 50 {
			t.Errorf("%s has no licence in LICENSES.txt", m.Path)
		}
	}

	if second := release(); !bytes.Equal(read(program), read(second, name)) {
		t.Error("a second build gives other bytes")
	}
}

// TestReleaseWithoutVersionStops looks at what make says where git knows no version.
func TestReleaseWithoutVersionStops(t *testing.T) {
	if _, err := exec.LookPath("make"); err != nil {
		t.Skip("make is not here:", err)
	}
	makefile, err := filepath.Abs("../../Makefile")
	if err != nil {
		t.Fatal(err)
	}
	run := func(args ...string) (string, error) {
		cmd := exec.Command("make", append([]string{"-n", "-f", makefile, "release"}, args...)...)
		cmd.Dir = t.TempDir()
		cmd.Env = append(os.Environ(), "VERSION=", "GIT_CEILING_DIRECTORIES="+filepath.Dir(cmd.Dir))
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	if out, err := run(); err == nil || !strings.Contains(out, "make release VERSION=v1.2.3") || strings.Contains(out, "go build") {
		t.Errorf("%v\n%s", err, out)
	}
	if out, err := run("VERSION=v9.8.7"); err != nil || !strings.Contains(out, "name=castellan_v9.8.7_") {
		t.Errorf("%v\n%s", err, out)
	}
}
