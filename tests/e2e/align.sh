#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# align.sh - nodes sample at multiples of the interval or, with "spread", a constant delay later
. "$(dirname "$0")/lib.sh"

# places: print each delay, in microseconds, between a multiple of $ms milliseconds and the record
# group after it, most frequent delays first. The first $from record groups are ignored: the first
# sample of an agent is taken when it starts. On a busy machine a few samples are late and have
# other delays.
places() {
	groups | awk -v from="$from" -v us="${ms}000" 'NR > from {
		n = split($1, part, ".")
		print (n == 2 ? substr(part[2] "000000", 1, 6) : 0) % us
	}' | sort | uniq -c | sort -rn
}
# in_time TICKS: succeed if at least TICKS samples have the same delay after a multiple of the
# interval. First request a sample, because the agent then writes the record groups that wait in
# memory.
in_time() {
	nodometer collect
	[ "$(places | awk 'NR == 1 { print $1 }')" -ge "$1" ] 2>/dev/null
}
run_agent() {	# TICKS
	from=0
	[ ! -e "$archive/$host/current" ] || from=$(groups | wc -l)
	from=$((from + 1))
	start_agent
	wait_until 60 in_time "$1"
	stop_agent
	place=$(places | awk 'NR == 1 { print $2 }')
}

ms=1000
write_config 'interval = 1s'
run_agent 2
is "place of the samples" "$place" 0

# With "spread", each host has its own constant delay, shorter than the spread.
ms=200
write_config 'interval = 200ms' 'spread = 100ms'
run_agent 3
[ "$place" -gt 0 ] && [ "$place" -lt 100000 ] || fail "place in the spread: $place us"

first=$place
run_agent 3
is "the same host's place after a restart" "$place" "$first"

host=other.test
write_config 'interval = 200ms' 'spread = 100ms'
run_agent 3
[ "$place" != "$first" ] || fail "another host has the same place"
whole_archive
