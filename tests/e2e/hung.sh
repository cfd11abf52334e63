#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# hung.sh - a source that hangs affects only its own type: a FIFO replaces /proc/vmstat
. "$(dirname "$0")/lib.sh"

root=$scratch/root
mkdir -p "$root/proc"
cp "$srcdir/tests/collectors/cpu/holes/root/proc/stat" "$root/proc/stat"
echo 4753669.01 9507338.00 >"$root/proc/uptime"
printf 'pgpgin 1\npgpgout 2\n' >"$scratch/vmstat"
cp "$scratch/vmstat" "$root/proc/vmstat"

# replace fifo|file: put a FIFO or the file in place of /proc/vmstat
replace() {
	rm "$root/proc/vmstat"
	if [ "$1" = fifo ]; then
		mkfifo "$root/proc/vmstat"
	else
		cp "$scratch/vmstat" "$root/proc/vmstat"
	fi
}
# rows TYPE: print the rows of the type in the newest record group
rows() {
	awk -v type="$1" '$0 == "" { n = 0 } $1 == type { n++ } END { print n + 0 }' \
		"$archive/$host/current"
}
# own DEVICE KEY-NUMBER: print a key of the agent's own type nodometer in the newest record group
own() {
	awk -v device="$1" -v key="$2" '$1 == "nodometer" && $2 == device { v = $(2 + key) }
		END { print v }' "$archive/$host/current"
}
sample() {	# take a sample; a source that hangs must not delay it
	expect 0 bounded 60 mark --timeout 30 sample
}
rows_are() {
	sample
	[ "$(rows vm)" = "$1" ]
}
no_zombie() {
	for p in $(children "$agent"); do
		! is_zombie "$p" || return 1
	done
}
# kill_worker: kill the worker of type vm, so that the next one opens its files again. Not every
# child is a worker: nodometer-tidy may run.
kill_worker() {
	killed=
	for p in $(children "$agent"); do
		grep -q '^Name:[[:blank:]]*vm$' "/proc/$p/status" 2>/dev/null || continue
		kill -s KILL "$p"
		killed=$p
	done
	[ -n "$killed" ] || fail "no worker runs"
	# wait until it is gone: a sample that finds the worker still dying starts no other worker
	wait_until 5 gone "$killed"
}

# If the agent itself reads type vm, reading the FIFO fails at once, and other types continue.
replace fifo
start_agent --root "$root"
sample
[ "$(rows cpu)" -gt 0 ] || fail "no rows of type cpu"
is "rows of type vm" "$(rows vm)" 0
is "errors of type vm" "$(own vm 4)" 1
is "errors of all types" "$(own - 4)" 1
answers && grep -q '^type in error  *vm ' "$scratch/status" ||
	fail "status does not name the type: $(cat "$scratch/status")"
replace file
sample
is "rows of type vm" "$(rows vm)" 1
is "errors of type vm" "$(own vm 4)" 0
stop_agent

# If a worker reads type vm, it hangs, and the sample waits for it only until the deadline.
write_config '[types]' 'vm = isolate' 'deadline = 100ms'
start_agent --root "$root"
wait_until 5 rows_are 1	# on a busy machine the first answer may take longer than the deadline
kill_worker		# if this worker dies, the next one reads the type
wait_until 5 rows_are 1
replace fifo
kill_worker
quick 1500 sample
sample
[ "$(rows cpu)" -gt 0 ] || fail "no rows of type cpu"
is "rows of type vm" "$(rows vm)" 0
is "stalls of type vm" "$(own vm 5)" 1
answers && grep -q '^type in error  *vm no answer before the deadline' "$scratch/status" ||
	fail "status does not name the type: $(cat "$scratch/status")"
expect 0 bounded 30 begin --strict 801
is "jobs" "$(last_jobs)" 801
replace file
wait_until 5 rows_are 1
is "stalls of type vm" "$(own vm 5)" 0
wait_until 5 no_zombie
answers && ! grep -q '^type in error' "$scratch/status" || fail "the error stays in status"

# If the agent ends after a worker hung, no process is left.
stop_agent
write_config '[types]' 'vm = isolate' 'deadline = 1s'
start_agent --root "$root"
replace fifo
kill_worker
hangs() { left=$(children "$agent") && [ -n "$left" ]; }
sample &
wait_until 5 hangs
wait $!
stop_agent
# shellcheck disable=SC2086 # a list of pids
wait_until 5 gone $left
whole_archive
