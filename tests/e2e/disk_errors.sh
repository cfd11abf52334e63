#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# disk_errors.sh - the disk fails to write or sync: no mark is lost, doubled or acknowledged too
# early
. "$(dirname "$0")/lib.sh"

case "${SAN:-}" in *sanitize*) skip "a sanitizer and disk_shim.c do not go together" ;; esac
# shellcheck disable=SC2086 # a compiler and its words
${CC:-cc} -shared -fPIC -o "$scratch/disk.so" "$srcdir/tests/e2e/disk_shim.c" ||
	skip "no compiler for disk_shim.c"
mkdir -p "$runtime"
fault=$runtime/fault
# faulty FAULT: let the agent's disk fail from now on in the way FAULT: "write", "sync", "sync
# once", "hang once", "readonly", or "" for no fault
faulty() {
	rm -f "$fault" "$fault.new"
	[ -z "$1" ] || { echo "$1" >"$fault.new" && mv "$fault.new" "$fault"; }
}
start_faulty_agent() {
	LD_PRELOAD=$scratch/disk.so DISK_FAULT=$fault \
		"$bin/nodometerd" --foreground --config "$conf" 2>>"$log" 3>&- &
	agent=$!
	pids="$pids $agent"
	wait_until 20 answers
}
status_has() {	# LABEL VALUE
	answers && [ "$(value_of "$1")" = "$2" ]
}
# all_once MARK...: fail unless each mark is in the archive exactly once
all_once() {
	for mark; do
		is "marks $mark" "$(count "^%$mark\$")" 1
	done
	whole_archive
	! grep -i 'same\|twice' "$scratch/check" || fail "check: $(cat "$scratch/check")"
}

start_faulty_agent
expect 0 nodometer begin --strict 801

# If one fdatasync(2) fails, the mark is written again to a new file, and the client is informed.
n=$(raw_files | wc -l)
faulty 'sync once'
expect 0 nodometer begin --strict 802 2>"$scratch/err"
grep -q 'failed to sync' "$scratch/err" || fail "begin says: $(cat "$scratch/err")"
grep -q 'cannot be synced to the disk: Input/output error' "$log" || fail "the log does not say it"
is "files" "$(raw_files | wc -l)" $((n + 1))
all_once 'begin 801' 'begin 802'
expect 0 nodometer begin --strict 803 2>"$scratch/err"
[ ! -s "$scratch/err" ] || fail "begin says: $(cat "$scratch/err")"

# If every sync or write fails, the mark waits, status and client report this, and the mark is safe
# from a kill of the agent. When the disk works again, the mark is written once.
for what in sync write readonly; do
	faulty $what
	[ $what = readonly ] && why='Read-only file system' || why='Input/output error'
	expect 3 nodometer begin --strict "$what-1" 2>"$scratch/err"
	grep -q 'waits in memory' "$scratch/err" || fail "begin says: $(cat "$scratch/err")"
	status_has 'groups waiting in memory' 1 || fail "status: $(cat "$scratch/status")"
	status_has 'nothing is written' "$why" || fail "$(cat "$scratch/status")"
	is "marks of $what-1" "$(count "^%begin $what-1\$")" 0
	! left_nothing || fail "the mark is not safe from a kill"
	expect 3 nodometer end --strict "$what-1" 2>/dev/null
	faulty ''
	expect 0 nodometer mark "after-$what"
	status_has 'groups waiting in memory' 0 || fail "status: $(cat "$scratch/status")"
	status_has 'groups lost' 0 || fail "status: $(cat "$scratch/status")"
	left_nothing || fail "what is written is left as well"
	all_once "begin $what-1" "end $what-1" "after-$what"

	# If the agent is killed while the mark waits, the next agent writes the mark.
	faulty $what
	expect 3 nodometer begin --strict "$what-2" 2>/dev/null
	stop_agent KILL
	faulty ''
	start_faulty_agent
	wait_until 10 left_nothing
	grep -q "^$what-2 " "$runtime/jobs" || fail "job $what-2 is not known"
	all_once "begin $what-2"
done

# An agent does not start if it cannot write. Marks wait until the disk works.
faulty readonly
expect 3 nodometer begin --strict left 2>/dev/null
stop_agent KILL
LD_PRELOAD=$scratch/disk.so DISK_FAULT=$fault "$bin/nodometerd" --config "$conf" 2>>"$log"
is "exit status of an agent that cannot write" $? 2
log_says "$archive: Read-only file system" || fail "the log does not say why"
faulty ''
start_faulty_agent
wait_until 10 left_nothing
all_once 'begin left'

# Without an agent, the request for a mark stays in the spool, and the next process that can write
# to the archive writes it.
stop_agent
alone() {
	LD_PRELOAD=$scratch/disk.so DISK_FAULT=$fault nodometer "$@"
}
for what in sync write readonly; do
	faulty $what
	expect 3 alone begin --strict "alone-$what" 2>/dev/null
	! left_nothing || fail "the mark is not safe"
	faulty ''
	expect 0 alone end --strict "alone-$what"
	left_nothing || fail "what is written is left as well"
	all_once "begin alone-$what" "end alone-$what"
done
faulty 'sync once'
expect 0 alone begin --strict alone-once
all_once 'begin alone-once'

# A write hangs: the hook gives up its sample and makes the mark without one.
faulty 'hang once'
expect 0 alone begin --strict --timeout 6 alone-hang
[ ! -e "$fault" ] || fail "no write hung"
left_nothing || fail "the mark was left"
all_once 'begin alone-hang'
