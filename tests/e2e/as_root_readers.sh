#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# as_root_readers.sh - programs that root starts parse files without capabilities, but can open all
# files that root can open
. "$(dirname "$0")/as_root_lib.sh"
command -v strace >/dev/null || skip 'no strace'
monitor=$bin/nodometer-monitor

# Before a reader drops its rights, it opens all files of its command line, also the second one,
# which only root may read. A missing file is reported.
raw=$own/1700000000
printf '$hpcperfstats 2.3.5\n$hostname n1\n!mem a,U=KB\n\n1700000000 7\nmem 0 1\n' >"$raw"
chmod 600 "$raw"
parses cat "$raw" "$bin/nodometer-cat" "$own/pipe" "$raw"
is 'rows of two files' "$(grep -c '"a":1' "$scratch/out")" 2
parses check "$raw" "$bin/nodometer-check" "$own/pipe" "$raw"
is 'files that were checked' "$(grep -c 'whole; 1 groups' "$scratch/out")" 2
parses export "$raw" "$bin/nodometer-cat" --monotonic --to influx "$own/pipe" "$raw"
is 'lines of two files' "$(grep -c '^mem' "$scratch/out")" 2
parses convert "$raw" "$bin/nodometer-cat" --to raw "$own/pipe" "$raw"
is 'rows of two files' "$(grep -c '^mem' "$scratch/out")" 2
expect 1 "$bin/nodometer-check" "$own/none" "$raw" >"$scratch/said"
grep -q 'none: No such file' "$scratch/said" && grep -q 'whole; 1 groups' "$scratch/said" ||
	fail "check: $(cat "$scratch/said")"
mkdir -p "$own/archive/n1" && cp "$raw" "$own/archive/n1" && chmod 700 "$own/archive/n1"
chown 1:1 "$own/archive/n1" "$own/archive/n1/1700000000"
is 'rows of an archive' "$("$bin/nodometer-cat" --dir "$own/archive" | grep -c '"a":1')" 1
# While nodometer-cat parses a file, its capability to read the archive is not effective. Here it
# waits in the middle of the file, because nobody reads its output.
awk 'BEGIN { for (i = 1; i < 4000; i++) printf "\n%d 7\nmem 0 %d\n", 1700000000 + i, i }' \
	>>"$own/archive/n1/1700000000"
mkfifo "$own/unread"
exec 5<>"$own/unread"
"$bin/nodometer-cat" --dir "$own/archive" >"$own/unread" 2>"$log" 3>&- 4>&- &
pid=$!
pids="$pids $pid"
waits_parsing() {
	grep -q '^State:.S' "/proc/$pid/status" && within 4 $pid CapPrm && within $none $pid CapEff
}
wait_until 10 waits_parsing
kill $pid
wait $pid 2>/dev/null
forget $pid
exec 5>&-
# nodometer report runs as user nobody, but keeps the capability to read all files of the archive.
exec 4<>"$own/pipe"
start report "$nobody" 4 4 "$raw" "$bin/nodometer-report" --dir "$own/archive" \
	--sacct "$own/pipe" 7
echo 'JobID|JobIDRaw|User|State' >&4
exec 4>&-
wait_until 10 gone $pid
wait $pid || fail "report: $(cat "$log")"
forget $pid
grep -q '^Job 7$' "$scratch/out" || fail "report: $(cat "$scratch/out")"
for command in 'compare 7 8' fleet 'nodes --slow'; do
	# shellcheck disable=SC2086 # words
	set -- $command
	program=$bin/nodometer-$1
	shift
	strace -o "$scratch/calls" "$program" "$@" --dir "$own/archive" >"$scratch/out" 2>&1
	awk -v dir="\"$own/archive" '
		/setres?uid/ { left = 1 }
		index($0, dir) && !/execve/ { n++; bad += !left }
		END { exit !n || bad }' "$scratch/calls" ||
		fail "$command: opens the archive as root"
done
if [ -x "$bin/nodometer-trace" ]; then
	traced=$srcdir/tests/tracers/shared.csv
	cp "$traced" "$own/traced"
	parses 'trace report' "$traced" "$bin/nodometer-trace" report --html "$own/page" \
		--monitor "$own/rms" "$own/pipe" "$own/traced"
	grep -q 'data:image/svg+xml\|gnuplot is not installed' "$own/page" || fail 'no chart'
	! command -v gnuplot >/dev/null || grep -q 'data:image/svg+xml' "$own/page" ||
		fail 'gnuplot was not run'
	! has monitor || expect 0 "$monitor" --dump --input "$own/rms" >"$scratch/dump"
fi
