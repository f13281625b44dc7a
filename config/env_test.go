package config

import (
	"os"
	"testing"
)

// setEnv makes the given settings the only ones for the length of the test.
func setEnv(t *testing.T, env map[string]string) {
	t.Helper()
	for _, name := range ownVariables(os.Environ()) {
		t.Setenv(name, "") // empty is not set
	}
	for name, value := range env {
		t.Setenv(name, value)
	}
}
