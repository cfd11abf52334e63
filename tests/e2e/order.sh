#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# order.sh - a begin mark that waits in the spool is written before a later end mark of the same job
#
# If the agent does not answer in time, a hook leaves the begin in RUNTIME-DIR/marks, the spool. The
# end may be requested at the socket before the agent has read the spool.
. "$(dirname "$0")/lib.sh"

# take the jobs lock, like a hook that writes spooled marks
lock() { exec 9<>"$runtime/marks/lock" && flock 9; }
unlock() { exec 9>&-; }
no_jobs() { answers && ! grep -q '^job ' "$scratch/status"; }

# leave JOB: leave a begin in the spool, as a hook does that reaches neither the agent nor the lock
# in time
leave() {
	kill -STOP "$agent"
	lock
	expect 3 nodometer begin --strict --timeout 1 "$1" 2>/dev/null 9>&-
	is "left" "$(cat "$runtime"/marks/*.mark | cut -d ' ' -f 2)" "$1"
}

# ask JOB: request the end of JOB in a background process, which does not inherit the lock
ask()
{
	"$bin/nodometer" --config "$conf" end --timeout 20 "$1" 9>&- &
	end=$!
}

start_agent
leave 801
ask 801
sleep 0.2	# by then the request waits at the socket
unlock
kill -CONT "$agent"
wait $end
is "marks" "$(marks | tr '\n' ' ')" "%begin 801 %end 801 "
wait_until 10 no_jobs

# While another process holds the jobs lock, the end waits, so that it comes after the begin.
leave 802
kill -CONT "$agent"
ask 802
wait_until 10 answers
is "end marks before the begin" "$(count '^%end 802$')" 0
unlock
wait $end
is "marks" "$(marks | tail -n 2 | tr '\n' ' ')" "%begin 802 %end 802 "

# If the jobs lock is held for longer than the second hook waits, the end is spooled, too, and both
# marks are written in order.
leave 803
kill -CONT "$agent"
expect 3 nodometer end --strict --timeout 1 803 2>/dev/null 9>&-
unlock
both() { [ "$(marks | grep -c ' 803$')" -eq 2 ]; }
wait_until 10 both
is "marks" "$(marks | tail -n 2 | tr '\n' ' ')" "%begin 803 %end 803 "
wait_until 10 no_jobs

# A hook that gets no CPU time before its timeout still leaves its mark in the spool.
kill -STOP "$agent"
lock
"$bin/nodometer" --config "$conf" begin --strict --timeout 0.5 804 2>/dev/null 9>&- &
hook=$!
sleep 0.1
kill -STOP $hook 2>/dev/null
sleep 0.6
kill -CONT $hook 2>/dev/null
wait $hook
is "status of a hook that is late" $? 3
is "left" "$(cat "$runtime"/marks/*.mark | cut -d ' ' -f 2)" 804
unlock
kill -CONT "$agent"
expect 0 nodometer end --strict 804
is "marks" "$(marks | tail -n 2 | tr '\n' ' ')" "%begin 804 %end 804 "
stop_agent
whole_archive
