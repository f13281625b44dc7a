package docs_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"debug/elf"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// instructions returns the lines of the Dockerfile without comments, continued ones joined.
func instructions(t *testing.T) []string {
	t.Helper()
	content, err := os.ReadFile("../Dockerfile")
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	joined := ""
	for line := range strings.Lines(string(content)) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		part, continues := strings.CutSuffix(line, "\\")
		joined += part
		if !continues {
			found = append(found, strings.Join(strings.Fields(joined), " "))
			joined = ""
		}
	}
	return found
}

// baseImage is what the image is built on: certificates, time zones, /tmp, and the user nonroot, 65532; no shell, no libraries.
const baseImage = "gcr.io/distroless/static-debian12:nonroot"

func TestDockerfile(t *testing.T) {
	lines := instructions(t)
	goMod, err := os.ReadFile("../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	version := regexp.MustCompile(`(?m)^go (\d+\.\d+)`).FindStringSubmatch(string(goMod))
	if version == nil {
		t.Fatal("go.mod names no version of Go")
	}
	// No older Go than go.mod asks for. What has a shell is left behind with the stage that builds.
	want := []string{"FROM --platform=$BUILDPLATFORM golang:" + version[1] + "-bookworm AS build", "FROM " + baseImage}
	if got := ofKind(lines, "FROM"); !slices.Equal(got, want) {
		t.Fatalf("stages %q, want %q", got, want)
	}
	image := lines[slices.Index(lines, want[1])+1:]
	for _, tt := range []struct{ kind, want string }{
		{"USER", "USER 65532:65532"},
		{"ENV", "ENV CASTELLAN_METRICS_ADDR=127.0.0.1:9464"},
		{"HEALTHCHECK", `HEALTHCHECK --interval=30s --timeout=5s --start-period=10s --retries=3 CMD ["/castellan", "healthcheck"]`},
		{"ENTRYPOINT", `ENTRYPOINT ["/castellan"]`},
		{"CMD", `CMD ["run"]`},
	} {
		// One of each: a second one would take the place of the first, or add to what the test of the settings knows.
		if got := ofKind(image, tt.kind); !slices.Equal(got, []string{tt.want}) {
			t.Errorf("the image has %q, want %q alone", got, tt.want)
		}
	}
	for _, line := range image {
		switch kind, rest, _ := strings.Cut(line, " "); kind {
		case "USER", "ENV", "HEALTHCHECK", "ENTRYPOINT", "CMD", "ARG", "LABEL":
		case "COPY":
			if !strings.HasPrefix(rest, "--from=build ") {
				t.Errorf("the image takes what was not built: %s", line)
			}
		default: // RUN and SHELL need a shell, ADD fetches, STOPSIGNAL would change how the daemon is stopped
			t.Errorf("an instruction that the image should not have: %s", line)
		}
	}
}

// ofKind returns the instructions of a kind, however it is written.
func ofKind(lines []string, kind string) (found []string) {
	for _, line := range lines {
		if word, _, _ := strings.Cut(line, " "); strings.EqualFold(word, kind) {
			found = append(found, line)
		}
	}
	return found
}

// TestDockerIgnoreLetsTheBuildSeeItsRooms fails when a new top folder with code is not let into the build.
func TestDockerIgnoreLetsTheBuildSeeItsRooms(t *testing.T) {
	content, err := os.ReadFile("../.dockerignore")
	if err != nil {
		t.Fatal(err)
	}
	ignore := strings.Split(string(content), "\n")
	for _, p := range goList(t) {
		name, isOurs := strings.CutPrefix(p.ImportPath, module+"/")
		top, _, _ := strings.Cut(name, "/")
		if isOurs && !slices.Contains(ignore, "!"+top) {
			t.Errorf(".dockerignore keeps %s out of the build", name)
		}
	}
	for _, line := range ofKind(instructions(t), "COPY") {
		words := strings.Fields(line)
		if name, ofSource := strings.CutPrefix(words[len(words)-2], "/src/"); ofSource && !slices.Contains(ignore, "!"+name) {
			t.Errorf(".dockerignore keeps %s out of the build, and the image wants it", name)
		}
	}
}

// The image may take imageLimit bytes unpacked. Its base has some 2 MB, which nothing here can measure: baseRoom is kept for it.
const (
	imageLimit = 25_000_000
	baseRoom   = 4_000_000
)

// TestDockerfileBuildCommand runs the Dockerfile's own build command for both kinds of processors and looks at what it makes: a
// program that needs no library of the system it runs on, that knows the command of the health check, and with which the layers
// that the image adds to its base are small enough.
func TestDockerfileBuildCommand(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the command builds for the system it runs on, and this one is not the image's")
	}
	if testing.Short() {
		t.Skip("-trimpath builds the standard library anew, which takes a while the first time")
	}
	var build string
	for _, line := range instructions(t) {
		if command, isRun := strings.CutPrefix(line, "RUN "); isRun && strings.Contains(command, "go build") {
			build = command
		}
	}
	for arch, machine := range map[string]elf.Machine{"amd64": elf.EM_X86_64, "arm64": elf.EM_AARCH64} {
		t.Run(arch, func(t *testing.T) {
			binary := filepath.Join(t.TempDir(), "castellan")
			command := exec.Command("sh", "-c", strings.ReplaceAll(build, "/out/castellan", binary))
			command.Dir = ".."
			command.Env = append(os.Environ(), "VERSION=v0.0.0-test", "TARGETOS=linux", "TARGETARCH="+arch)
			if output, err := command.CombinedOutput(); err != nil {
				t.Fatalf("%s: %v\n%s", build, err, output)
			}
			checkProgram(t, binary, machine)
			if arch == runtime.GOARCH {
				checkRuns(t, binary)
			}
			checkSize(t, binary)
		})
	}
}

// checkRuns starts the program that goes into the image.
func checkRuns(t *testing.T, binary string) {
	t.Helper()
	output, err := exec.Command(binary, "version").CombinedOutput()
	if err != nil || !strings.Contains(string(output), "v0.0.0-test") {
		t.Errorf("castellan version: %v\n%s", err, output)
	}
	if output, err := exec.Command(binary, "healthcheck", "--help").CombinedOutput(); err != nil {
		t.Errorf("the command of HEALTHCHECK: %v\n%s", err, output)
	}
}

// checkProgram looks into the program that goes into the image.
func checkProgram(t *testing.T, binary string, machine elf.Machine) {
	t.Helper()
	file, err := elf.Open(binary)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if file.Machine != machine {
		t.Errorf("the program is for %s, not for %s", file.Machine, machine)
	}
	if libraries, err := file.ImportedLibraries(); err != nil || len(libraries) > 0 {
		t.Errorf("the program needs the libraries %v (%v)", libraries, err)
	}
	for _, segment := range file.Progs {
		if segment.Type == elf.PT_INTERP {
			t.Error("the program needs a dynamic loader")
		}
	}
}

// checkSize makes the layers that the image adds to its base as a builder would, a tar file for each COPY, and measures them.
func checkSize(t *testing.T, binary string) {
	t.Helper()
	here := map[string]string{"/out/castellan": binary, "/src/LICENSE": "../LICENSE", "/out/state": t.TempDir()}
	lines := instructions(t)
	unpacked, packed := 0, 0
	for _, line := range ofKind(lines[slices.Index(lines, "FROM "+baseImage)+1:], "COPY") {
		words := strings.Fields(line)
		from, to := words[len(words)-2], words[len(words)-1]
		path := here[from]
		if path == "" {
			t.Fatalf("this test does not know what %s is", from)
		}
		plain, zipped := layer(t, path, to)
		unpacked, packed = unpacked+plain, packed+zipped
	}
	if unpacked == 0 {
		t.Fatal("the image adds nothing to its base")
	}
	t.Logf("the image adds %.1f MB to its base, %.1f MB to fetch", float64(unpacked)/1e6, float64(packed)/1e6)
	if unpacked > imageLimit-baseRoom {
		t.Errorf("the image adds %d bytes to its base, more than %d", unpacked, imageLimit-baseRoom)
	}
}

// layer returns the sizes of a layer with one file or empty folder, as it is and by gzip.
func layer(t *testing.T, path, name string) (plain, zipped int) {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	header, err := tar.FileInfoHeader(info, "")
	if err != nil {
		t.Fatal(err)
	}
	header.Name = strings.TrimPrefix(name, "/")
	var content []byte
	if !info.IsDir() {
		if content, err = os.ReadFile(path); err != nil {
			t.Fatal(err)
		}
	}
	var archive, small bytes.Buffer
	w, z := tar.NewWriter(&archive), gzip.NewWriter(&small)
	if err := w.WriteHeader(header); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(content); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := z.Write(archive.Bytes()); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return archive.Len(), small.Len()
}
