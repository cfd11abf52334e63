#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# find.sh - time to find a job in large archives, and to read a whole archive
#
# Runs in the build folder, as part of `make bench`; needs 4 GB in /dev/shm or TMPDIR. HOSTS=n
# (500): number of hosts in the archive of 4 days that is read as a whole. YEAR=n (1000): hosts in
# the sparse archive of 365 days. RUNS=n (20000): runs in the archive whose rows of runs are read.
# BEFORE=DIR: build folder of another commit, whose times are printed for comparison.
set -u
here=$(cd "$(dirname "$0")" && pwd)
tmp=$(mktemp -d -p "${TMPDIR:-/dev/shm}") || exit 1
trap 'rm -rf "$tmp"' EXIT
trap 'exit 1' INT TERM
. "$here/measure.sh"
hosts=${HOSTS:-500} year=${YEAR:-1000} runs=${RUNS:-20000}
printf '[agent]\ndir = %s/none\nruntime-dir = %s/run\n' "$tmp" "$tmp" >"$tmp/nodometer.conf"
"$here/node.sh" "$tmp/node" 16 64 8
make_big "$tmp/big" "$tmp/node"

# seconds FORMAT COMMAND...: print the shortest of three times: elapsed (%e) or CPU time (%C)
seconds()
{
	local what=$1
	shift
	for _ in 1 2 3; do
		"$@" >"$tmp/out" 2>"$tmp/err" || { cat "$tmp/err" >&2; return 1; }
		LC_ALL=C TIMEFORMAT="%R %U %S"
		{ time "$@" >/dev/null 2>&1; } 2>"$tmp/time"
		awk -v what="$what" '{ print what == "%e" ? $1 : $2 + $3 }' "$tmp/time"
	done | sort -n | head -n 1
}
# megabytes COMMAND...: print how many MB the command reads
megabytes()
{
	strace -f -qq -e trace=read,pread64 -o "$tmp/trace" "$@" >/dev/null 2>&1
	awk '$NF > 0 { sum += $NF } END { printf "%.1f\n", sum / 1e6 }' "$tmp/trace"
}
# bar WHAT VALUE LIMIT [least]: print a line that compares a value with its upper limit or, with
# "least", with its lower limit
bar()
{
	awk -v what="$1" -v is="$2" -v bar="$3" -v least="${4:-}" 'BEGIN {
		held = least ? is >= bar : is <= bar
		printf "%-52s %8s  %s %-5s %s\n", what, is, least ? ">=" : "<=", bar,
			held ? "held" : "MISSED"
	}'
}

# beside COMMAND...: print the time that the build in $BEFORE needs for the same command
beside()
{
	[ -z "${BEFORE:-}" ] || printf '%-52s %8s\n' '  the other build, s' \
		"$(cd "$BEFORE" && seconds %e "$@")"
}

# turns JOBS: make an archive of one file with this many jobs, one after the other
turns()
{
	mkdir -p "$tmp/turns$1/n1"
	awk -v jobs="$1" 'BEGIN {
		printf "$hpcperfstats 1.0.2\n$hostname n1\n"
		print "!cpu user,E,U=cs system,E,U=cs idle,E,U=cs"
		for (t = 0; t < 4 * jobs; t++) {
			printf "\n%d %d\n", 1700000000 + 300 * t, t / 4
			if (t % 4 == 0 || t % 4 == 3)
				printf "%%%s %d\n", t % 4 ? "end" : "begin", t / 4
			for (cpu = 0; cpu < 8; cpu++)
				printf "cpu %d %d 0 %d\n", cpu, 100 * t, 200 * t
		}
	}' >"$tmp/turns$1/n1/1700000000"
}

turns 1000
turns 8000
tests/bench/synth whole "$tmp/big" "$tmp/days" "$hosts" 4 4711 8 || exit 1
tests/bench/synth sparse "$tmp/big" "$tmp/year" "$year" 365 4711 8 || exit 1
find="./nodometer-report 4711 --json --dir"
# shellcheck disable=SC2086 # words to split
{
	printf '\n%d host-days, %s MB compressed; a year of %d nodes, sparse; %d CPUs; %s\n' \
		$((4 * hosts)) "$(du -sm "$tmp/days" | cut -f 1)" "$year" "$(nproc)" \
		'the least of 3'
	bar 'one job on 8 of the host-days, s' "$(seconds %e $find "$tmp/days")" 0.2
	bar '  MB read' "$(megabytes $find "$tmp/days")" 50
	beside $find "$tmp/days"
	bar 'one job on 8 nodes of the year, s' "$(seconds %e $find "$tmp/year")" 1
	bar '  MB read' "$(megabytes $find "$tmp/year")" 2000
	beside $find "$tmp/year"
}
rm -rf "$tmp/year"
fleet="./nodometer-fleet --silent 1000000h --dir $tmp/days"
# shellcheck disable=SC2086 # words to split
{
	bar "fleet of $hosts nodes, all files compressed, s" "$(seconds %e $fleet)" 2
	bar '  CPU s' "$(seconds %C $fleet)" 1
	beside $fleet
}
{	# with --host, rows of runs are neither read nor stored
	few=$(seconds %C ./nodometer-jobs --used --host n1 --dir "$tmp/turns1000")
	many=$(seconds %C ./nodometer-jobs --used --host n1 --dir "$tmp/turns8000")
	bar 'use of 8,000 jobs of one file, CPU s' "$many" 2
	bar '  that of 1,000 is 1' \
		"$(awk -v a="$many" -v b="$few" 'BEGIN { printf "%.1f", a / b }')" 10
}
# Store rows of runs: each group of four hosts has 48 runs a day. The first nodometer-jobs stores
# the rows; the next ones read them.
tests/bench/synth whole "$tmp/big" "$tmp/runs" $((runs / 48 + 4)) 4 4711 4 48 || exit 1
./nodometer-jobs --dir "$tmp/runs" --keep || exit 1
table="./nodometer-jobs --dir $tmp/runs"
# shellcheck disable=SC2086 # words to split
{
	bar "the worst ten of $($table --json | wc -l) runs, CPU s" \
		"$(seconds %C $table --worst 10)" 1
	bar '  by account' "$(seconds %C $table --by account)" 1
	bar '  by a figure, as CSV' "$(seconds %C $table --sort block.rd_sectors --csv)" 1
}
rm -rf "$tmp/runs"
mkdir "$tmp/rows" && tests/bench/rows "$tmp/rows" "$year" $((20 * year)) || exit 1
bar "slow nodes of a year of $year, $((720 * year)) node-runs, CPU s" \
	"$(seconds %C ./nodometer-nodes --slow --dir "$tmp/rows")" 1
rm -rf "$tmp/rows"
all="./nodometer-report --host * --until 1750086399 --json --dir $tmp/days"
set -f
# shellcheck disable=SC2086
{
	one=$(seconds %e taskset -c 0 $all)
	two=$(seconds %e taskset -c 0,1 $all)
	cpu=$(seconds %C taskset -c 0 $all)
	other=$(beside taskset -c 0 $all)
	set +f
	zstd=$(seconds %C zstd -dqc "$tmp"/days/*/1750000000.zst)
	bar "report of $hosts hosts: speed of two CPUs, one is 1" \
		"$(awk -v a="$one" -v b="$two" 'BEGIN { printf "%.2f", a / b }')" 1.8 least
	bar '  its CPU time, zstd -d of the same is 1' \
		"$(awk -v a="$cpu" -v b="$zstd" 'BEGIN { printf "%.2f", a / b }')" 1.3
	[ -z "$other" ] || printf '%-52s %8s\n%s\n' '  one CPU, s' "$one" "$other"
}
