#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# hung_archive.sh - the archive's file system hangs: marks are kept, and status answers in 2 s
#
# The archive is on a mount of nodometer trace. While the tracer is stopped, the mount hangs.
. "$(dirname "$0")/lib.sh"
. "$srcdir/tests/e2e/trace_lib.sh"

archive=$m/archive
mkdir "$s/archive"
write_config
traced --events fsync --stat all --out "$scratch/events"
log=$scratch/agent.log
hang() { kill -STOP "$tracer"; }
go_on() { kill -CONT "$tracer"; }
trap 'ended=$?; go_on 2>/dev/null; (exit $ended); cleanup' EXIT

# ends NAME STATUS ARGUMENTS...: run nodometer with ARGUMENTS, and check its exit status; its output
# is in $scratch/NAME
ends() {
	name=$1 wanted=$2
	shift 2
	timeout -s KILL 30 "$bin/nodometer" --config "$conf" "$@" >"$scratch/$name" 2>&1
	is "exit status of $*" $? "$wanted"
}
# says NAME PATTERN: fail unless the output of NAME matches PATTERN
says() { grep -q "$2" "$scratch/$1" || fail "$1: $(cat "$scratch/$1")"; }
# all_end PID...: wait for these processes
all_end() {
	for p; do
		wait "$p" || exit 1
	done
}

start_agent
expect 0 nodometer begin --strict 1
hang
quick 2200 ends begin 3 begin --strict 2
says begin 'waits in memory'
quick 2200 ends end 3 end --strict 1
quick 2000 ends status 0 status &
all=$!
quick 2000 ends check 2 status --check &
all="$all $!"
quick 2000 ends json 0 status --json &
all="$all $!"
# nodometer peak measures for only a millisecond here, because longer measurements allocate more
# memory, which costs 20 us per page on a slow machine.
quick 2000 ends peak 1 peak --seconds 0.001 &
# shellcheck disable=SC2086 # a list of pids
all_end $all $!
says status '^archive hangs for'
says status '^job  *2,'
says check 'CRITICAL - nothing is written'
says json '^{"running":true.*"stopped":'
says peak "$archive: "

# Without an agent, a hook saves its mark before it accesses the archive.
stop_agent KILL
quick 2200 ends begin 3 begin --strict --timeout 1 3 &
all=$!
quick 2000 ends status 1 status &
# shellcheck disable=SC2086
all_end $all $!
says begin 'left in'
quick 12500 ends collect 1 collect &
all=$!
quick 12500 ends rotate 1 rotate &
# shellcheck disable=SC2086
all_end $all $!
says collect "$archive: its file system does not answer; no sample is recorded"
says rotate "$archive: its file system does not answer; no sample is recorded"
says status '^agent  *does not run'
says status '^nothing is written  *the file system of'

go_on
start_agent
wait_until 20 left_nothing
for mark in 'begin 1' 'begin 2' 'end 1' 'begin 3'; do
	[ "$(count "^%$mark\$")" -ge 1 ] || fail "no mark $mark: $(marks)"
done
stop_agent
n=$(groups | wc -l)
ends collect 0 collect
ends rotate 0 rotate
is 'groups without an agent' "$(groups | wc -l)" $((n + 2))
whole_archive
untraced
