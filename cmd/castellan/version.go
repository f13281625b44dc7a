package main

import (
	"fmt"
	"runtime"
	"runtime/debug"
)

// version is set by the linker in a release build.
var version string

type versionCommand struct {
	JSON bool `name:"json" help:"Print JSON."`
}

// Help is shown by castellan version --help.
func (versionCommand) Help() string {
	return `Examples:

  castellan version
  castellan version --json`
}

func (c versionCommand) Run(std streams) error {
	if c.JSON {
		return printJSON(std.out, struct {
			Version string `json:"version"`
			Go      string `json:"go"`
			OS      string `json:"os"`
			Arch    string `json:"arch"`
		}{buildVersion(), runtime.Version(), runtime.GOOS, runtime.GOARCH})
	}
	_, err := fmt.Fprintf(std.out, "castellan %s %s %s/%s\n", buildVersion(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
	return err
}

// buildVersion returns the version, or what the build knows of the source it was made from.
func buildVersion() string {
	if version != "" {
		return version
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "dev"
	}
	revision, dirty := "", ""
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision" && len(s.Value) >= 12:
			revision = "-" + s.Value[:12]
		case s.Key == "vcs.modified" && s.Value == "true":
			dirty = "-dirty"
		}
	}
	return "dev" + revision + dirty
}
