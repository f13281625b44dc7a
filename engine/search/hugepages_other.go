//go:build !linux

package search

func useHugePages([]bucket) {}
