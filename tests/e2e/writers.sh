#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# writers.sh - an agent with an interval of 20 ms and single runs write the same file: record groups
# are complete, no mark is lost
#
# Each of three writers makes WRITER_ROUNDS marks (50; run-tests --all: 150).
. "$(dirname "$0")/lib.sh"

write_config 'interval = 20ms'
rounds=${WRITER_ROUNDS:-50}
# writer NAME COMMAND: run nodometer COMMAND $rounds times without the agent, each with a new mark
writer() {
	n=0
	while [ $n -lt "$rounds" ]; do
		n=$((n + 1))
		nodometer "$2" --timeout 60 --dir "$archive" "$1.$n" || return 1
	done
}
collector() {
	while [ ! -e "$scratch/enough" ] && nodometer collect --dir "$archive" cpu mem; do
		:
	done
}

start_agent
collector &
collecting=$!
writer a mark &
a=$!
writer b begin &
b=$!
pids="$pids $collecting $a $b"
n=0
while [ $n -lt "$rounds" ]; do		# and as many marks through the agent
	n=$((n + 1))
	expect 0 nodometer mark --timeout 60 "c.$n"
done
wait "$a" || fail "mark without the agent"
wait "$b" || fail "begin without the agent"
: >"$scratch/enough"
wait "$collecting"
expect 0 nodometer collect
is "jobs that the agent knows" "$(last_jobs | tr , '\n' | sort -u | wc -l)" "$rounds"

# knows: succeed if the agent knows job "left", which another process has written to the file of
# jobs
knows() { last_jobs | tr , '\n' | grep -qx left; }
sed 's/^b\.1 /left /' "$runtime/jobs" >"$runtime/jobs.new" && mv "$runtime/jobs.new" "$runtime/jobs"
wait_until 60 knows
stop_agent

whole_archive
for name in a b c; do
	is "marks of writer $name" "$(marks | grep "[% ]$name\." | sort -u | wc -l)" "$rounds"
done
is "marks" "$(marks | wc -l)" $((3 * rounds))

# in_order FILE...: succeed if the record groups of the files are in order of time. If the agent
# waits a second for the lock, its record groups wait in memory; if newer ones were written
# meanwhile, it writes them to a file of their own.
in_order() {
	cat "$@" | awk 'blank && !/^\$/ { if ($1 < last) bad = 1; last = $1 } { blank = $0 == "" }
		END { exit bad }'
}
for file in $(raw_files); do
	in_order "$file" || fail "the time goes back in $file"
done
# shellcheck disable=SC2046
in_order $(raw_files) || grep -q 'wait in memory\|another process has written' "$log" ||
	fail "the time goes back"
echo "$(groups | wc -l) groups"
