#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# counters.sh - jobs acquire and return the hardware counters, and marks record when they do so
#
# The test needs no hardware counters, because marks, state and permissions do not depend on them.
# If the test may open counters, the kernel's software counters stay open throughout; no other
# counter is open while a job has the hardware counters.
. "$(dirname "$0")/counters_lib.sh"

write_config 'users =' '[types]' 'perf_sw = on' 'rapl = off' 'intel_rapl = off' 'amd64_rapl = off'
start_agent
software=0
if [ "$(perf_fds)" -gt 0 ]; then
	software=6
	[ ! -e /sys/bus/event_source/devices/msr/events/tsc ] || software=7
	software=$((software * $(getconf _NPROCESSORS_ONLN)))
fi
echo "the agent has $(perf_fds) perf events open, $software of them the kernel's own"
[ "$software" -eq 0 ] || is "marks at the start" "$(last_marks)" "%counters_restart perf_sw;"

# Only a job that has begun can get the counters, and only once. Messages say what to do.
expect 1 nodometer counters release 51 2>"$scratch/err"
grep -q 'job 51 does not own this node: run "nodometer begin"' "$scratch/err" ||
	fail "release: $(cat "$scratch/err")"
expect 2 nodometer counters 2>/dev/null
expect 2 nodometer counters release 2>/dev/null
expect 2 nodometer counters yield 51 2>/dev/null
expect 2 nodometer counters steal 51 2>/dev/null
expect 2 nodometer counters --timeout 0 yield 2>/dev/null
expect 1 nodometer counters release a,b 2>/dev/null
expect 1 nodometer mark counters_release 51 2>/dev/null
is "released" "$(released)" ""

expect 0 nodometer begin --strict 51
expect 0 nodometer begin --strict 52
expect 0 nodometer counters release 51
is "marks" "$(last_marks)" "%counters_release 51;"
is "released" "$(released)" 51
is "reason" "$(why)" "counters released to job 51"
is "perf events" "$(perf_fds)" "$software"
n=$(groups | wc -l)
expect 0 nodometer counters release 51 2>"$scratch/err"
grep -q 'job 51 has the hardware counters already' "$scratch/err" || fail "$(cat "$scratch/err")"
expect 0 nodometer counters acquire 52 2>/dev/null
is "groups" "$(groups | wc -l)" "$n"
expect 0 nodometer counters release 52
is "released" "$(released)" 51,52
is "in JSON" "$(nodometer status --json | grep -c '"released":"51,52"')" 1

# After any kind of end of the agent, the next agent still knows that the job has the counters.
for signal in TERM KILL; do
	stop_agent $signal
	expect 1 nodometer status >"$scratch/out"
	grep -q '^counters released to job *51,52$' "$scratch/out" || fail "status without an agent"
	is "reason without an agent" "$(why)" "counters released to job 51,52"
	start_agent
	is "released" "$(released)" 51,52
	[ "$software" -eq 0 ] ||
		is "marks of a new agent" "$(last_marks)" "%counters_restart perf_sw;"
done
kill -s HUP "$agent"
wait_until 5 grep -q 'configuration reloaded' "$log"
is "released" "$(released)" 51,52

# The agent gets the counters back when the last job ends or returns them.
expect 0 nodometer end --strict 51
is "marks" "$(last_marks)" "%end 51;%counters_acquire 51;"
is "released" "$(released)" 52
expect 0 nodometer counters acquire
is "marks" "$(last_marks)" "%counters_acquire 52;"
is "released" "$(released)" ""
case $(why) in
*released*) fail "still released: $(why)" ;;
esac
expect 0 nodometer counters acquire 2>"$scratch/err"
grep -q 'no job had the hardware counters' "$scratch/err" || fail "$(cat "$scratch/err")"
expect 0 nodometer counters release 52
expect 0 nodometer end --strict 52
is "marks" "$(last_marks)" "%end 52;%counters_acquire 52;"

# An agent that hangs may still have the counters open: a request to release them times out and
# changes nothing.
expect 0 nodometer begin --strict 53
kill -s STOP "$agent"
expect 1 bounded 30 counters --timeout 0.5 release 53 2>"$scratch/err"
kill -s CONT "$agent"
grep -q 'does not answer and may hold' "$scratch/err" || fail "$(cat "$scratch/err")"
answers
is "released" "$(released)" ""

# Without an agent, no process has the counters open; releasing them takes effect in the next agent.
stop_agent
expect 0 nodometer counters yield 2>"$scratch/err"
grep -q 'no agent is running' "$scratch/err" || fail "yield: $(cat "$scratch/err")"
expect 0 nodometer counters release 53
is "marks" "$(last_marks)" "%counters_release 53;"
start_agent
is "released" "$(released)" 53
stop_agent
expect 0 nodometer counters acquire 53
is "marks" "$(last_marks)" "%counters_acquire 53;"
expect 0 nodometer end --strict 53
whole_archive
