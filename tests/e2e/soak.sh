#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# soak.sh - memory, files and processes of agent, sender and receiver do not grow over time
#
# In the first part, the agent starts SOAK_ROTATIONS (30; run-tests: 2000) files, which the sender
# follows, and the receiver reopens its file as often. The second part has SOAK_ROUNDS (16;
# run-tests: 400) rounds with jobs, refused requests, reloads of all three programs and released
# counters. There is a sample every 20 ms. At the end of each part, no process may use more than
# after half of it.
. "$(dirname "$0")/lib.sh"
has send xrootd || skip 'built without delivery or xrootd'
. "$(dirname "$0")/soak_lib.sh"

case "${SAN:-}" in *sanitize*) skip "a sanitizer keeps memory that was given back" ;; esac
rounds=${SOAK_ROUNDS:-16} rotations=${SOAK_ROTATIONS:-30} reloads=0
there=$scratch/central received=$scratch/received
port=$(free_port)

# request WORDS...: run nodometer; fail unless it succeeds, or the mark waits in memory because the
# disk is slower than half a second
request() {
	nodometer "$@" >"$scratch/said" 2>&1
	got=$?
	[ $got -eq 0 ] || { [ $got -eq 3 ] && grep -q 'it waits in memory' "$scratch/said"; } ||
		fail "$*: exit status $got: $(cat "$scratch/said")"
}

# is_sent: succeed if the copy of the newest file is complete; the sink copies older files first
is_sent() {
	newest=$(find "$archive/$host" -name '[0-9]*' -samefile "$archive/$host/current" \
		-printf '%f')
	cmp -s "$archive/$host/current" "$there/$host/$newest"
}
reopen() {	# rotate the receiver's file as logrotate does
	wait_until 20 test -e "$received/raw"
	mv "$received/raw" "$received/raw.1"
	kill -HUP "$receiver" || fail 'the receiver is gone'
}
is_reloaded() { [ "$(grep -c 'configuration reloaded: 1 sinks' "$log")" -ge $reloads ]; }
config() {	# LINE...
	write_config 'interval = 20ms' "$@" '[send]' "state-dir = $scratch/state" \
		'[sink archive]' "dir = $there"
}
reload() {
	reloads=$((reloads + 1))
	kill -HUP "$agent" "$sender" || fail 'the agent or the sender is gone'
	wait_until 20 is_reloaded
}
rotate() {
	request rotate
	reopen
}
round() {
	for job in 1 2 3 4; do
		request begin --strict --timeout 60 --attr user=ann "$1.$job"
	done
	! nodometer begin --strict "$(printf 'a b\nc')" 2>/dev/null || fail 'this is no job id'
	request counters --timeout 60 release "$1.1"
	wait_until 20 answers
	config "retain-days = $((8 + $1 % 2))"
	reload
	reopen
	request counters --timeout 60 acquire "$1.1"
	request collect
	for job in 4 3 2 1; do
		request end --strict --timeout 60 "$1.$job"
	done
}

# repeat WHAT TIMES: call WHAT TIMES times; after each of the last five calls of the first half,
# call look()
repeat() {
	done=0
	while [ $done -lt "$2" ]; do
		done=$((done + 1))
		$1 $done
		[ $done -le $(($2 / 2 - 5)) ] || [ $done -gt $(($2 / 2)) ] || look
	done
	no_more "$2 $1s"
}

mkdir "$there" "$received"
for_receivers "$received"
config
start_agent
launch_sender
"$bin/nodometer-xrootd" -p "$port" --bind 127.0.0.1 --raw -o "$received/raw" 2>>"$log" 3>&- &
receiver=$!
pids="$pids $receiver"
wait_until 60 bound "$port"
wait_until 60 is_sent
half='0 0 0 0 0 0 0 0 0 0 0'
# A file is named after the second of its first record group or, if this name is taken, after one of
# the next 1,000 seconds. So use a new host name after every 500 files.
left=$rotations
while [ "$left" -gt 0 ]; do
	some=$((left < 500 ? left : 500)) left=$((left - some)) host=n$left.test
	config
	reload
	repeat rotate $some
done
repeat round "$rounds"
is "groups lost" "$(value_of 'groups lost')" 0
end_program 20 "$sender" 'the sender'
end_program 20 "$receiver" 'the receiver'
stop_agent
whole_archive
is "begins" "$(count '^%begin')" $((4 * rounds))
is "ends" "$(count '^%end')" $((4 * rounds))
