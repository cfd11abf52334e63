#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# soak.sh - an agent that is asked for much holds no more memory and no more files as time goes by
#
# SOAK_ROUNDS rounds (40; run-tests: 400) of jobs, refused requests, reloads and counters given away
# and taken back, with a sample every 20 ms: what is held after half of them is held at the end.
. "$(dirname "$0")/lib.sh"

case "${SAN:-}" in *sanitize*) skip "a sanitizer keeps memory that was given back" ;; esac
rounds=${SOAK_ROUNDS:-40}
slack_kb=256	# what malloc(3) keeps of one moment or another

# held PID -> KB of memory that is its alone, open files
held() {
	awk '$1 == "RssAnon:" { print $2 }' "/proc/$1/status"
	find "/proc/$1/fd" -type l | wc -l
}
# what the agent and the process that writes for it hold; others, as tidy, end soon
all_held() {
	for p in "$agent" $(cat "/proc/$agent/task/$agent/children"); do
		[ "$p" != "$agent" ] && [ "$(cat "/proc/$p/comm" 2>/dev/null)" != writer ] ||
			held "$p"
	done | tr '\n' ' '
}
round() {
	for job in 1 2 3 4; do
		expect 0 nodometer begin --strict --attr user=ann "$1.$job"
	done
	! nodometer begin --strict "$(printf 'a b\nc')" 2>/dev/null || fail 'this is no job id'
	expect 0 nodometer counters release "$1.1" >/dev/null
	expect 0 nodometer status --json >/dev/null
	write_config 'interval = 20ms' "retain-days = $((8 + $1 % 2))"
	kill -HUP "$agent"
	expect 0 nodometer counters acquire "$1.1" >/dev/null
	expect 0 nodometer collect
	for job in 4 3 2 1; do
		expect 0 nodometer end --strict "$1.$job"
	done
}

write_config 'interval = 20ms'
start_agent
done=0
while [ $done -lt "$rounds" ]; do
	done=$((done + 1))
	round $done
	[ $done -ne $((rounds / 2)) ] || half=$(all_held)
done
end=$(all_held)
echo "KB and open files of each process: $half at half, $end at the end"
echo "$half $end" | awk -v slack=$slack_kb '{
	for (i = 1; i <= NF / 2; i++) {
		more = $(i + NF / 2) - $i
		if (more > (i % 2 ? slack : 0))
			exit 1
	}
	exit NF < 8 || NF % 4 }' || fail "it holds more and more: $half at half, $end at the end"
is "groups lost" "$(value_of 'groups lost')" 0
stop_agent
whole_archive
is "begins" "$(count '^%begin')" $((4 * rounds))
is "ends" "$(count '^%end')" $((4 * rounds))
