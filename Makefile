# make builds the bot. A testing framework such as OpenBench calls "make EXE=<path>", then "<path> bench", and plays
# games with "<path>" alone: that program is a UCI engine when it is given no command.
ifeq ($(origin EXE),command line)
BARE := -ldflags="-X main.bare=uci"
endif
EXE ?= castellan

# A release: make release, or make release TARGETS=linux/amd64 VERSION=v1.2.3.
VERSION ?= $(shell git describe --tags --always --dirty)
TARGETS ?= linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64 windows/arm64
DIST    ?= dist
SBOM    := github.com/CycloneDX/cyclonedx-gomod/cmd/cyclonedx-gomod@v1.10.0
SHA256  := $(shell command -v sha256sum || echo shasum -a 256)

.PHONY: castellan release

castellan:
	go build -trimpath $(BARE) -o $(EXE) ./cmd/castellan

# For each target a program and what is in it (CycloneDX, out of the program's own build info), the licences of all modules, and checksums of
# it all. The same commit, version and Go give the same programs byte for byte: nothing in them tells of the time or the machine.
release:
	$(if $(VERSION),,$(error no version is known outside of a git clone: make release VERSION=v1.2.3))
	mkdir -p $(DIST)
	rm -f $(DIST)/castellan_* $(DIST)/LICENSE* $(DIST)/SHA256SUMS
	set -e; for target in $(TARGETS); do \
		os=$${target%/*} arch=$${target#*/} ext=; [ $$os != windows ] || ext=.exe; \
		name=castellan_$(VERSION)_$${os}_$$arch; \
		CGO_ENABLED=0 GOFLAGS= GOOS=$$os GOARCH=$$arch GOAMD64=v1 GOARM64=v8.0 GOEXPERIMENT= \
			go build -trimpath -ldflags="-s -w -X main.version=$(VERSION)" -o $(DIST)/$$name$$ext ./cmd/castellan; \
		GOFLAGS= go run -trimpath $(SBOM) bin -json -noserial -notimestamp -std -version $(VERSION) -output $(DIST)/$$name.cdx.json $(DIST)/$$name$$ext; \
	done
	set -e; { printf '=== Go\n\n'; cat "$$(go env GOROOT)/LICENSE"; echo; \
	for target in $(TARGETS); do \
		CGO_ENABLED=0 GOOS=$${target%/*} GOARCH=$${target#*/} \
			go list -deps -f '{{with .Module}}{{if not .Main}}{{.Path}} {{.Version}} {{.Dir}}{{end}}{{end}}' ./cmd/castellan; \
	done | sort -u | while read -r path version dir; do \
		printf '=== %s %s\n\n' "$$path" "$$version"; \
		for file in "$$dir"/LICENSE* "$$dir"/COPYING* "$$dir"/NOTICE*; do [ ! -f "$$file" ] || cat "$$file"; done; echo; \
	done; } > $(DIST)/LICENSES.txt
	cp LICENSE $(DIST)/LICENSE
	cd $(DIST) && $(SHA256) * > SHA256SUMS
