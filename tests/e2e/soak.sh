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
# A sample, and a request that was just answered, have files open for a moment.
look() {	# $half: the most that a look so far has seen
	seen=$(all_held)
	[ "$(echo "$seen" | wc -w)" -ne 4 ] || half=$(echo "$half $seen" | awk '{
		for (i = 1; i <= 4; i++)
			printf "%d ", ($i > $(i + 4) ? $i : $(i + 4)) }')
}
no_more() {	# than $half
	end=$(all_held)
	echo "$half $end" | awk -v slack=$slack_kb '{
		for (i = 1; i <= 4; i++)
			if ($(i + 4) - $i > (i % 2 ? slack : 0))
				exit 1
		exit NF != 8 }'
}
# asked WORDS...: it is done, or waits in memory because the disk did not answer in half a second
asked() {
	nodometer "$@" >"$scratch/said" 2>&1
	got=$?
	[ $got -eq 0 ] || { [ $got -eq 3 ] && grep -q 'it waits in memory' "$scratch/said"; } ||
		fail "$*: exit status $got: $(cat "$scratch/said")"
}
round() {
	for job in 1 2 3 4; do
		asked begin --strict --timeout 60 --attr user=ann "$1.$job"
	done
	! nodometer begin --strict "$(printf 'a b\nc')" 2>/dev/null || fail 'this is no job id'
	asked counters --timeout 60 release "$1.1"
	wait_until 20 answers
	write_config 'interval = 20ms' "retain-days = $((8 + $1 % 2))"
	kill -HUP "$agent"
	asked counters --timeout 60 acquire "$1.1"
	asked collect
	for job in 4 3 2 1; do
		asked end --strict --timeout 60 "$1.$job"
	done
}

write_config 'interval = 20ms'
start_agent
done=0 half='0 0 0 0'
while [ $done -lt "$rounds" ]; do
	done=$((done + 1))
	round $done
	[ $done -le $((rounds / 2 - 5)) ] || [ $done -gt $((rounds / 2)) ] || look
done
tries=0
until no_more; do
	tries=$((tries + 1))
	[ $tries -lt 60 ] || fail "it holds more and more: $half at half, $end at the end"
	sleep 1
done
echo "KB and open files of each process: $half at half, $end at the end"
is "groups lost" "$(value_of 'groups lost')" 0
stop_agent
whole_archive
is "begins" "$(count '^%begin')" $((4 * rounds))
is "ends" "$(count '^%end')" $((4 * rounds))
