package docs_test

import (
	"bytes"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"go.yaml.in/yaml/v4"

	"castellan/config"
)

// imageEnv is what the Dockerfile sets in the environment.
func imageEnv(t *testing.T) map[string]string {
	t.Helper()
	env := map[string]string{}
	for _, line := range instructions(t) {
		if rest, is := strings.CutPrefix(line, "ENV "); is {
			for _, pair := range strings.Fields(rest) {
				name, value, _ := strings.Cut(pair, "=")
				env[name] = value
			}
		}
	}
	return env
}

// loadSettings reads an environment as the daemon would, with another file in the place of the token's.
func loadSettings(t *testing.T, env map[string]string) config.Config {
	t.Helper()
	for _, entry := range os.Environ() {
		if name, _, _ := strings.Cut(entry, "="); strings.HasPrefix(name, "CASTELLAN_") || name == "LICHESS_BOT_TOKEN" {
			t.Setenv(name, "")
		}
	}
	for name, value := range imageEnv(t) {
		t.Setenv(name, value)
	}
	token := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(token, []byte("lip_xOfTheContainerTest\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, value := range env {
		if name == "CASTELLAN_TOKEN_FILE" {
			value = token
		}
		t.Setenv(name, value)
	}
	cfg, err := config.LoadOnline()
	if err != nil {
		t.Errorf("the daemon would not start: %v", err)
	}
	return cfg
}

// within tells whether a path lies in one of the places given.
func within(path string, places []string) bool {
	return slices.ContainsFunc(places, func(place string) bool { return path == place || strings.HasPrefix(path, place+"/") })
}

// checkPaths holds the settings that name files against what is mounted: state can be written, secrets can be read, and the root
// is read-only.
func checkPaths(t *testing.T, env map[string]string, secrets, volumes []string) {
	t.Helper()
	var cfg config.Config
	for _, s := range cfg.Settings() {
		value, set := env[s.Variable]
		if !set || s.Kind != "path" && s.Kind != "folder" {
			continue
		}
		places := volumes
		if s.Variable == "CASTELLAN_TOKEN_FILE" {
			places = secrets
		}
		if !within(value, places) {
			t.Errorf("%s=%s lies in none of %v", s.Variable, value, places)
		}
	}
	if env["CASTELLAN_TOKEN"] != "" || env["LICHESS_BOT_TOKEN"] != "" {
		t.Error("a token stands in the file")
	}
	if env["CASTELLAN_TOKEN_FILE"] == "" {
		t.Error("no file of the token is named")
	}
	if env["CASTELLAN_STATE_DIR"] == "" {
		t.Error("the counts of the day are lost at each restart, though there is a place to keep them")
	}
}

// memoryMiB reads a limit of memory.
func memoryMiB(t *testing.T, text string) int {
	t.Helper()
	m := regexp.MustCompile(`^(\d+)(Mi|M|Gi|G)$`).FindStringSubmatch(text)
	if m == nil {
		t.Fatalf("%q is no memory that this test can read", text)
	}
	n, _ := strconv.Atoi(m[1])
	if m[2][0] == 'G' {
		n *= 1024
	}
	return n
}

func TestCompose(t *testing.T) {
	content, err := os.ReadFile("../compose.yaml")
	if err != nil {
		t.Fatal(err)
	}
	type service struct {
		Image string
		Build struct {
			Context string
			Args    map[string]string
		}
		Environment map[string]string
		Secrets     []string
		Ports       []string
		Volumes     []string
		Restart     string
		Grace       string `yaml:"stop_grace_period"`
		Deploy      struct {
			Replicas     int
			UpdateConfig struct{ Order string } `yaml:"update_config"`
			Resources    struct {
				Limits struct{ CPUs, Memory string }
			}
		}
		ReadOnly    bool     `yaml:"read_only"`
		CapDrop     []string `yaml:"cap_drop"`
		SecurityOpt []string `yaml:"security_opt"`
	}
	var file struct {
		Name     string
		Services map[string]service
		Secrets  map[string]struct{ File string }
		Volumes  map[string]struct{}
	}
	if err := yaml.Load(content, &file, yaml.WithKnownFields()); err != nil {
		t.Fatal(err)
	}
	s, found := file.Services["castellan"]
	if !found || len(file.Services) != 1 {
		t.Fatalf("services %v", file.Services)
	}
	// Git is no part of what the builder sees, so that only the person who builds can tell.
	if s.Build.Args["VERSION"] != "${VERSION:-unknown}" {
		t.Errorf("the image does not learn its version: %v", s.Build.Args)
	}
	cfg := loadSettings(t, s.Environment)

	var secrets, volumes []string
	for _, name := range s.Secrets {
		if file.Secrets[name].File == "" {
			t.Errorf("there is no file of the secret %s", name)
		}
		secrets = append(secrets, "/run/secrets/"+name)
	}
	for _, v := range s.Volumes {
		name, at, _ := strings.Cut(v, ":")
		if _, declared := file.Volumes[name]; !declared {
			t.Errorf("the volume %s is not declared", name)
		}
		volumes = append(volumes, at)
	}
	checkPaths(t, s.Environment, secrets, volumes)
	checkState(t, volumes)
	for _, port := range s.Ports {
		parts := strings.Split(port, ":")
		if len(parts) != 3 || parts[0] != "127.0.0.1" {
			t.Errorf("the port %s is open to more than this machine", port)
		} else if !strings.HasSuffix(string(cfg.StatusAddr), ":"+parts[2]) {
			t.Errorf("nobody listens on the port %s: the status page is at %s", parts[2], cfg.StatusAddr)
		}
	}
	grace, err := time.ParseDuration(s.Grace)
	if err != nil || cfg.Shutdown == "finish" && grace <= time.Duration(cfg.ShutdownLimit) || grace < 10*time.Second {
		t.Errorf("stop_grace_period %s (%v) is too short for CASTELLAN_SHUTDOWN=%s, CASTELLAN_SHUTDOWN_LIMIT=%s", s.Grace, err, cfg.Shutdown, cfg.ShutdownLimit)
	}
	if s.Deploy.Replicas != 1 || s.Deploy.UpdateConfig.Order != "stop-first" {
		t.Errorf("two could run at a time: %+v", s.Deploy)
	}
	if mib := memoryMiB(t, s.Deploy.Resources.Limits.Memory); mib < 256 {
		t.Errorf("%d MiB are little", mib)
	}
	if !s.ReadOnly || !slices.Equal(s.CapDrop, []string{"ALL"}) || !slices.Contains(s.SecurityOpt, "no-new-privileges:true") || s.Restart != "unless-stopped" {
		t.Errorf("the container is not locked up: %+v", s)
	}
}

// checkState sees to it that a volume is mounted where the image has a folder for the daemon's user.
func checkState(t *testing.T, volumes []string) {
	t.Helper()
	for _, v := range volumes {
		if !slices.ContainsFunc(instructions(t), func(line string) bool {
			return strings.HasPrefix(line, "COPY --from=build --chown=65532:65532 ") && strings.HasSuffix(line, " "+v)
		}) {
			t.Errorf("the image has no folder %s of its user's, so a new volume there would be root's", v)
		}
	}
}

func TestKubernetes(t *testing.T) {
	file, err := os.Open("kubernetes.yaml")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	type meta struct {
		Name                string
		Labels, Annotations map[string]string
	}
	type probe struct {
		HTTPGet struct{ Path, Port string } `yaml:"httpGet"`
		Period  int                         `yaml:"periodSeconds"`
		Timeout int                         `yaml:"timeoutSeconds"`
		Fails   int                         `yaml:"failureThreshold"`
	}
	type quantities struct{ CPU, Memory string }
	type container struct {
		Name, Image string
		Args        []string
		Env         []struct{ Name, Value string }
		Ports       []struct {
			Name string
			Port int `yaml:"containerPort"`
		}
		Startup   probe `yaml:"startupProbe"`
		Liveness  probe `yaml:"livenessProbe"`
		Readiness probe `yaml:"readinessProbe"`
		Resources struct{ Requests, Limits quantities }
		Security  struct {
			Escalation   *bool `yaml:"allowPrivilegeEscalation"`
			ReadOnly     bool  `yaml:"readOnlyRootFilesystem"`
			Capabilities struct{ Drop []string }
		} `yaml:"securityContext"`
		Mounts []struct {
			Name     string
			Path     string `yaml:"mountPath"`
			ReadOnly bool   `yaml:"readOnly"`
		} `yaml:"volumeMounts"`
	}
	type deployment struct {
		APIVersion string `yaml:"apiVersion"`
		Kind       string
		Metadata   meta
		Spec       struct {
			Replicas int
			Strategy struct{ Type string }
			Selector struct {
				Match map[string]string `yaml:"matchLabels"`
			}
			Template struct {
				Metadata meta
				Spec     struct {
					Grace        int   `yaml:"terminationGracePeriodSeconds"`
					ServiceToken *bool `yaml:"automountServiceAccountToken"`
					Links        *bool `yaml:"enableServiceLinks"`
					Security     struct {
						NonRoot bool                  `yaml:"runAsNonRoot"`
						User    int                   `yaml:"runAsUser"`
						Group   int                   `yaml:"runAsGroup"`
						FSGroup int                   `yaml:"fsGroup"`
						Seccomp struct{ Type string } `yaml:"seccompProfile"`
					} `yaml:"securityContext"`
					Containers []container
					Volumes    []struct {
						Name   string
						Secret *struct {
							Name string `yaml:"secretName"`
							Mode int    `yaml:"defaultMode"`
						}
						Claim *struct {
							Name string `yaml:"claimName"`
						} `yaml:"persistentVolumeClaim"`
					}
				}
			}
		}
	}
	type claim struct {
		APIVersion string `yaml:"apiVersion"`
		Kind       string
		Metadata   meta
		Spec       struct {
			Modes     []string `yaml:"accessModes"`
			Resources struct {
				Requests struct{ Storage string }
			}
		}
	}
	documents, err := yaml.NewLoader(file, yaml.WithKnownFields())
	if err != nil {
		t.Fatal(err)
	}
	var d deployment
	if err := documents.Load(&d); err != nil {
		t.Fatal(err)
	}
	var c claim
	if err := documents.Load(&c); err != nil {
		t.Fatal(err)
	}
	if d.APIVersion != "apps/v1" || d.Kind != "Deployment" || c.Kind != "PersistentVolumeClaim" || c.APIVersion != "v1" {
		t.Fatalf("%s %s, %s %s", d.APIVersion, d.Kind, c.APIVersion, c.Kind)
	}
	pod := d.Spec.Template.Spec
	if d.Spec.Replicas != 1 || d.Spec.Strategy.Type != "Recreate" {
		t.Errorf("two could run at a time: %d, %s", d.Spec.Replicas, d.Spec.Strategy.Type)
	}
	for name, value := range d.Spec.Selector.Match {
		if d.Spec.Template.Metadata.Labels[name] != value {
			t.Errorf("the selector wants %s=%s, the pod has %v", name, value, d.Spec.Template.Metadata.Labels)
		}
	}
	if pod.ServiceToken == nil || *pod.ServiceToken || pod.Links == nil || *pod.Links {
		t.Error("the pod gets a token of the cluster, or variables of its services")
	}
	if s := pod.Security; !s.NonRoot || s.User != 65532 || s.Group != 65532 || s.FSGroup != 65532 || s.Seccomp.Type != "RuntimeDefault" {
		t.Errorf("%+v", s)
	}
	if len(pod.Containers) != 1 {
		t.Fatalf("%d containers", len(pod.Containers))
	}
	box := pod.Containers[0]
	if s := box.Security; s.Escalation == nil || *s.Escalation || !s.ReadOnly || !slices.Equal(s.Capabilities.Drop, []string{"ALL"}) {
		t.Errorf("the container is not locked up: %+v", s)
	}
	env := map[string]string{}
	for _, e := range box.Env {
		env[e.Name] = e.Value
	}
	cfg := loadSettings(t, env)
	var secrets, volumes []string
	for _, m := range box.Mounts {
		for _, v := range pod.Volumes {
			switch {
			case v.Name != m.Name:
			case v.Secret != nil:
				if !m.ReadOnly || v.Secret.Mode != 0o440 {
					t.Errorf("the secret can be written, or read by others: %+v", v.Secret)
				}
				secrets = append(secrets, m.Path)
			case v.Claim != nil:
				if v.Claim.Name != c.Metadata.Name {
					t.Errorf("the claim %s is none of the file's", v.Claim.Name)
				}
				volumes = append(volumes, m.Path)
			}
		}
	}
	checkPaths(t, env, secrets, volumes)
	checkState(t, volumes)
	if len(box.Ports) != 1 || !strings.HasSuffix(string(cfg.MetricsAddr), ":"+strconv.Itoa(box.Ports[0].Port)) || strings.HasPrefix(string(cfg.MetricsAddr), "127.") {
		t.Errorf("ports %+v, and CASTELLAN_METRICS_ADDR is %s: the probes reach nobody", box.Ports, cfg.MetricsAddr)
	}
	if a := d.Spec.Template.Metadata.Annotations; a["prometheus.io/scrape"] != "true" || a["prometheus.io/port"] != strconv.Itoa(box.Ports[0].Port) {
		t.Errorf("annotations %v", a)
	}
	for _, p := range []struct {
		probe
		path string
	}{{box.Startup, "/healthz"}, {box.Liveness, "/healthz"}, {box.Readiness, "/readyz"}} {
		if p.HTTPGet.Path != p.path || p.HTTPGet.Port != box.Ports[0].Name || p.Period == 0 {
			t.Errorf("probe %+v, want one of %s on %s", p.probe, p.path, box.Ports[0].Name)
		}
	}
	if grace := time.Duration(pod.Grace) * time.Second; cfg.Shutdown == "finish" && grace <= time.Duration(cfg.ShutdownLimit) || grace < 10*time.Second {
		t.Errorf("%s to stop are too short for CASTELLAN_SHUTDOWN=%s", grace, cfg.Shutdown)
	}
	if r := box.Resources; r.Requests.Memory != r.Limits.Memory || memoryMiB(t, r.Limits.Memory) < 256 || r.Requests.CPU == "" || r.Limits.CPU == "" {
		t.Errorf("resources %+v", r)
	}
}

// TestKubernetesOnce holds the pod that runs one command against the deployment: the same secret and rights, no volume that the
// running bot may have, and the container's name that kubectl run gives it, or it would start a second container.
func TestKubernetesOnce(t *testing.T) {
	read := func(path string, into any) {
		t.Helper()
		content, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		content, _, _ = bytes.Cut(content, []byte("\n---\n"))
		if err := yaml.Load(content, into); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
	}
	type fields = map[string]any
	var once struct{ Spec fields }
	var whole struct {
		Spec struct{ Template struct{ Spec fields } }
	}
	read("kubernetes-once.json", &once)
	read("kubernetes.yaml", &whole)
	pod, running := once.Spec, whole.Spec.Template.Spec
	for _, name := range []string{"securityContext", "automountServiceAccountToken", "enableServiceLinks"} {
		if !reflect.DeepEqual(pod[name], running[name]) {
			t.Errorf("%s is %v, in the deployment %v", name, pod[name], running[name])
		}
	}
	boxes, volumes := pod["containers"].([]any), pod["volumes"].([]any)
	if len(boxes) != 1 || len(volumes) != 1 {
		t.Fatalf("%d containers, %d volumes", len(boxes), len(volumes))
	}
	box, runningBox := boxes[0].(fields), running["containers"].([]any)[0].(fields)
	if !reflect.DeepEqual(box["securityContext"], runningBox["securityContext"]) {
		t.Errorf("rights %v, in the deployment %v", box["securityContext"], runningBox["securityContext"])
	}
	for _, name := range []string{"env", "volumeMounts"} {
		for _, one := range box[name].([]any) {
			if !slices.ContainsFunc(runningBox[name].([]any), func(other any) bool { return reflect.DeepEqual(one, other) }) {
				t.Errorf("%s: %v is not what the deployment has", name, one)
			}
		}
	}
	if !slices.ContainsFunc(running["volumes"].([]any), func(other any) bool { return reflect.DeepEqual(volumes[0], other) }) {
		t.Errorf("the volume %v is not the deployment's", volumes[0])
	}
	if page := pages(t)["docs/container.md"]; !strings.Contains(page, "kubectl run "+box["name"].(string)+" ") {
		t.Errorf("container.md does not start a pod %v", box["name"])
	}
}
