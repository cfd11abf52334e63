#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# gathered.sh - at intervals below 10 s, samples are batched, do not wake the writer, and survive
# kill -9 of the agent and its writer
. "$(dirname "$0")/lib.sh"

write_config 'interval = 100ms'
written() { groups | wc -l; }
twice() { groups | cut -d ' ' -f 1 | sort | uniq -d; }
writer() { cut -d ' ' -f 1 "/proc/$agent/task/$agent/children"; }
switches() { awk '/^voluntary/ { print $2 }' "/proc/$(writer)/status"; }

start_agent
expect 0 nodometer mark --timeout 20 first
answers
n=$(taken)
then=$(switches)
wait_until 20 has_taken $((n + 20))
now=$(switches)
if [ "$(written)" -le $((n + 10)) ]; then	# if ten seconds have not passed yet
	is "how often the writer woke up" $((now - then)) 0
fi
n=$(taken)
expect 0 nodometer mark --timeout 20 second
[ "$(written)" -gt "$n" ] || fail "$n samples before a mark, $(written) groups with it"

# Kill the agent and its writer: the next hook or agent writes the waiting samples once.
for next in hook agent; do
	had=$(written)
	answers
	wait_until 20 has_taken $(($(taken) + 12))
	kill -9 "$(writer)"
	stop_agent KILL
	if [ $next = hook ]; then
		expect 0 nodometer mark --timeout 20 third
		is "what waits" "$(wc -c <"$runtime/marks/groups")" 0
	fi
	start_agent
	expect 0 nodometer mark --timeout 20 fourth
	[ "$(written)" -ge $((had + 12)) ] || fail "12 samples after $had, $(written) groups"
	is "groups that stand twice" "$(twice)" ''
	whole_archive
done

# Without a mark, waiting samples are written after ten seconds.
had=$(written)
gathered() { [ "$(written)" -ge $((had + 50)) ]; }
wait_until 20 gathered
is "groups that stand twice" "$(twice)" ''
! grep 'wait in memory;\|are lost' "$log" || fail 'of a disk that works'
stop_agent
whole_archive
