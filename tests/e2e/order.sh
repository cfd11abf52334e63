#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# order.sh - a begin that its hook could only leave is marked before the end that is asked for
#
# A hook whose time is over while the agent is late leaves its begin in RUNTIME-DIR/marks. The job's
# end may be asked for at the socket before the agent has looked there.
. "$(dirname "$0")/lib.sh"

lock() { exec 9<>"$runtime/marks/lock" && flock 9; }	# as a hook that makes the marks of all
unlock() { exec 9>&-; }
no_jobs() { answers && ! grep -q '^job ' "$scratch/status"; }

# leave JOB: its begin, by a hook whom neither the agent nor the holder of the lock serves
leave() {
	kill -STOP "$agent"
	lock
	expect 3 nodometer begin --strict --timeout 1 "$1" 2>/dev/null 9>&-
	is "left" "$(cat "$runtime"/marks/*.mark | cut -d ' ' -f 2)" "$1"
}

# ask JOB: for its end, without a descriptor of the lock in a shell between
ask()
{
	"$bin/nodometer" --config "$conf" end --timeout 20 "$1" 9>&- &
	end=$!
}

start_agent
leave 801
ask 801
sleep 0.2	# its request waits at the socket
unlock
kill -CONT "$agent"
wait $end
is "marks" "$(marks | tr '\n' ' ')" "%begin 801 %end 801 "
wait_until 10 no_jobs

# The holder goes on for a while: the end waits for it.
leave 802
kill -CONT "$agent"
ask 802
wait_until 10 answers
is "end marks before the begin" "$(count '^%end 802$')" 0
unlock
wait $end
is "marks" "$(marks | tail -n 2 | tr '\n' ' ')" "%begin 802 %end 802 "

# Longer than the second hook has time: that leaves its end, and both are made in their order.
leave 803
kill -CONT "$agent"
expect 3 nodometer end --strict --timeout 1 803 2>/dev/null 9>&-
unlock
both() { [ "$(marks | grep -c ' 803$')" -eq 2 ]; }
wait_until 10 both
is "marks" "$(marks | tail -n 2 | tr '\n' ' ')" "%begin 803 %end 803 "
wait_until 10 no_jobs

# A hook that a busy machine gives no time until its own is over leaves its mark all the same.
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
