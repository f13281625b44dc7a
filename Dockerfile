# docker build -t castellan --build-arg VERSION="$(git describe --tags --always)" .
# docker run --rm -e CASTELLAN_TOKEN=... castellan

# The build runs on the builder's own processor and compiles for the wanted one.
FROM --platform=$BUILDPLATFORM golang:1.26-bookworm AS build
WORKDIR /src
# Modules first, so that a change of the code does not fetch them again.
COPY go.mod go.sum ./
RUN go mod download
COPY . .
ARG VERSION=unknown
ARG TARGETOS
ARG TARGETARCH
RUN CGO_ENABLED=0 GOOS=$TARGETOS GOARCH=$TARGETARCH \
    go build -trimpath -ldflags="-s -w -X main.version=$VERSION" -o /out/castellan ./cmd/castellan
# A place for what is to outlive the container; a volume that is mounted there takes over its owner.
RUN mkdir -p /out/state

# Certificates, time zones, /tmp and the user nonroot, 65532: no shell, no package manager, no libraries.
FROM gcr.io/distroless/static-debian12:nonroot
ARG VERSION=unknown
LABEL org.opencontainers.image.title="Castellan" \
      org.opencontainers.image.description="A Lichess bot with its own engine" \
      org.opencontainers.image.version="$VERSION" \
      org.opencontainers.image.licenses="MIT"
COPY --from=build /src/LICENSE /LICENSE
COPY --from=build /out/castellan /castellan
COPY --from=build --chown=65532:65532 /out/state /var/lib/castellan
# By number, so that Kubernetes can see that it is not root: runAsNonRoot refuses names.
USER 65532:65532
# Health and metrics inside the container alone, for the check below; another address is for Prometheus and probes.
ENV CASTELLAN_METRICS_ADDR=127.0.0.1:9464
HEALTHCHECK --interval=30s --timeout=5s --start-period=10s --retries=3 CMD ["/castellan", "healthcheck"]
# SIGTERM, the default stop signal, ends the daemon cleanly; CASTELLAN_SHUTDOWN says how.
ENTRYPOINT ["/castellan"]
CMD ["run"]
