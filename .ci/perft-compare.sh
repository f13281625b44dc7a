#!/usr/bin/env bash
# Compares the speed of `castellan perft` with that of Debian's stockfish (`go perft`), one thread each:
#
#	bash .ci/perft-compare.sh [ROUNDS]
#
# The two take turns, 5 rounds by default, and the best of each counts. Time is processor time (user and system), which other
# programs on the machine disturb less than the clock on the wall; start-up, measured by a perft of depth 1, is taken off both.
# STOCKFISH names another program than /usr/games/stockfish. The node counts must be equal.
set -euo pipefail
cd "$(dirname "$0")/.."

rounds=${1:-5}
stockfish=${STOCKFISH:-/usr/games/stockfish}
command -v "$stockfish" >/dev/null || { echo "no $stockfish here: install Debian's package stockfish or set STOCKFISH" >&2; exit 1; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
go build -o "$work/castellan" ./cmd/castellan

stockfish_perft() { # DEPTH FEN: prints the number of nodes
	printf 'position fen %s\ngo perft %d\nquit\n' "$2" "$1" | "$stockfish" | awk '/^Nodes searched/ { print $3 }'
}
castellan_perft() { "$work/castellan" perft "$1" "$2"; }

# timed COMMAND DEPTH FEN: sets nodes and ms, the processor time in milliseconds.
timed() {
	local TIMEFORMAT='%U %S' user system
	{ time "$@" >"$work/nodes"; } 2>"$work/time"
	nodes=$(<"$work/nodes")
	read -r user system <"$work/time"
	ms=$(awk -v u="$user" -v s="$system" 'BEGIN { print 1000 * (u + s) }')
}

least() { awk -v a="$1" -v b="$2" 'BEGIN { print (a == "" || b + 0 < a + 0) ? b : a }'; }

"$stockfish" quit </dev/null | head -1
printf '| position | depth | nodes | Stockfish, million/s | Castellan, million/s | Castellan / Stockfish |\n|---|---|---|---|---|---|\n'
while IFS='|' read -r name depth fen; do
	sf='' own='' sf_start='' own_start=''
	for ((i = 0; i < rounds; i++)); do
		timed stockfish_perft 1 "$fen" && sf_start=$(least "$sf_start" "$ms")
		timed castellan_perft 1 "$fen" && own_start=$(least "$own_start" "$ms")
		timed stockfish_perft "$depth" "$fen" && sf=$(least "$sf" "$ms") sf_nodes=$nodes
		timed castellan_perft "$depth" "$fen" && own=$(least "$own" "$ms")
		[[ $nodes == "$sf_nodes" ]] || { echo "$fen: castellan counts $nodes, stockfish $sf_nodes" >&2; exit 1; }
	done
	awk -v name="$name" -v depth="$depth" -v n="$nodes" -v sf="$sf" -v sf0="$sf_start" -v own="$own" -v own0="$own_start" 'BEGIN {
		a = n / (sf - sf0) / 1000; b = n / (own - own0) / 1000
		printf "| %s | %d | %d | %.0f | %.0f | %.2f |\n", name, depth, n, a, b, b / a
	}'
done <<'POSITIONS'
start|6|rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1
Kiwipete|5|r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1
endgame|7|8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1
POSITIONS
