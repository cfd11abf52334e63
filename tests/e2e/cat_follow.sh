#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# cat_follow.sh - cat --follow prints the same records as cat prints after all were written
. "$(dirname "$0")/lib.sh"
root=$scratch/root
mkdir -p "$root/proc"
cp "$srcdir"/tests/collectors/cpu/many-cpus/root/proc/stat "$root/proc/stat"
echo 4753669.01 9507338.00 >"$root/proc/uptime"
cat_bin=$bin/nodometer-cat

follow() {	# OUT ARGUMENTS...
	out=$1
	shift
	"$cat_bin" --follow "$@" >"$out" 2>>"$scratch/said" 3>&- &
	pids="$pids $!"
}

write_config 'interval = 100ms'
start_agent --root "$root"
follow "$scratch/json" "$archive/$host"
follow "$scratch/csv" --csv --type cpu --rates "$archive/$host/current"
follow "$scratch/wide" --wide --type cpu "$archive/$host/"

# Each record is printed as soon as it is written: also after a mark, in the next file, and after a
# restart of the agent.
wait_until 20 grep -q '"type":"cpu"' "$scratch/json"
expect 0 nodometer begin 601
wait_until 20 grep -q '"mark":"begin 601' "$scratch/json"
expect 0 nodometer rotate
expect 0 nodometer end 601
wait_until 20 grep -q '"mark":"end 601' "$scratch/json"
stop_agent
start_agent --root "$root"
expect 0 nodometer mark here
stop_agent

# shellcheck disable=SC2046 # paths of the scratch folder hold no blanks
same() {	# FOLLOWED ARGUMENTS...
	followed=$1
	shift
	"$cat_bin" "$@" $(raw_files) >"$scratch/after"
	cmp -s "$scratch/after" "$followed"
}
[ "$(raw_files | wc -l)" -gt 1 ] || fail 'one file only'
wait_until 20 same "$scratch/json"
wait_until 20 same "$scratch/csv" --csv --type cpu --rates
wait_until 20 same "$scratch/wide" --wide --type cpu
[ ! -s "$scratch/said" ] || fail "$(cat "$scratch/said")"

# Records from a pipe are printed one by one, not at the end of the pipe.
mkfifo "$scratch/pipe"
"$cat_bin" - <"$scratch/pipe" >"$scratch/piped" 3>&- &
pids="$pids $!"
exec 4>"$scratch/pipe"
# shellcheck disable=SC2046
cat $(raw_files) >&4
wait_until 20 grep -q '"mark":"end 601' "$scratch/piped"
exec 4>&-

expect 2 "$cat_bin" --follow a b 2>/dev/null
expect 1 "$cat_bin" --follow "$scratch/none" 2>"$scratch/said"
grep -q 'expected DIR/HOST' "$scratch/said" || fail "no archive: $(cat "$scratch/said")"
