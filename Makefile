# The program for a testing framework: OpenBench calls "make EXE=<path>" and
# then "<path> bench".
EXE ?= castellan

.PHONY: castellan

castellan:
	go build -trimpath -o $(EXE) ./cmd/castellan
