#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# clock.sh - the wall clock jumps forward and back: samples continue at the new times, none is lost
#
# The machine's clock is not changed: clock_shim.c replaces the clock of the agent.
. "$(dirname "$0")/lib.sh"
. "$srcdir/tests/e2e/lib_clock.sh"
make_clock_shim || skip "$no_shim"

# whole_seconds FROM TO: print the number of record groups from FROM to TO whose times are multiples
# of the interval, 200 ms
whole_seconds() {
	groups | awk -v from="$1" -v to="$2" '$1 >= from && $1 <= to && $1 * 5 % 1 == 0 { n++ }
		END { print n + 0 }'
}
# goes_on_here: succeed if the archive has record groups with times near the changed clock, at
# multiples of 200 ms
goes_on_here() {
	nodometer collect	# this sample writes the record groups that wait in memory
	now=$(($(date +%s) + shift_by))
	[ "$(whole_seconds $((now - 5)) $((now + 5)))" -ge 3 ]
}

# said TIMES: succeed if the log has TIMES messages about the clock
said() {
	[ "$(grep -c 'the clock was set' "$log")" -eq "$1" ]
}

write_config 'interval = 200ms'
set_clock 0
launch_shimmed() {
	LD_PRELOAD=$scratch/clock.so CLOCK_OFFSET=$scratch/offset \
		"$bin/nodometerd" --foreground --config "$conf" 2>>"$log" &
	agent=$!
	pids="$pids $agent"
	wait_until 20 answers
}
launch_shimmed
expect 0 nodometer begin 901
wait_until 10 goes_on_here

# Set the clock back by a day.
set_clock -86400
wait_until 10 said 1
wait_until 10 goes_on_here
expect 0 nodometer mark earlier

# Set the clock forward by two days, and then back by one day to the machine's time.
set_clock 86400
wait_until 10 said 2
wait_until 10 goes_on_here
expect 0 nodometer mark later
set_clock 0
wait_until 10 said 3
wait_until 10 goes_on_here
expect 0 nodometer end 901
# A busy machine misses some ticks; missing a whole day would be 432,000 ticks.
[ "$(value_of 'ticks missed')" -lt 10000 ] || fail "ticks missed: $(value_of 'ticks missed')"
samples=$(($(value_of 'samples taken')))
stop_agent

n=$(groups | wc -l)
[ "$n" -ge "$samples" ] || fail "$samples samples, $n groups"
is "marks" "$(marks | tr '\n' ' ')" "%begin 901 %earlier %later %end 901 "
# shellcheck disable=SC2046
"$bin/nodometer-check" $(raw_files) >"$scratch/check" || fail "check: $(cat "$scratch/check")"
is "findings" "$(grep -v ': whole;' "$scratch/check")" ""
is "steps back that headers announce" "$(raw_text | grep -c '^\$clock_set -8[0-9]*')" 2
expect 0 nodometer report 901 >"$scratch/report"
grep -q 'Clock stepped' "$scratch/report" || fail "not said: $(cat "$scratch/report")"
nodometer report 901 --json | sed 's/.*"clock_stepped":\([0-9]*\).*/\1/' | grep -qx 3 ||
	fail "not three steps: $(nodometer report 901 --json | grep -o '"clock_[a-z_]*":[0-9]*')"
# The job's duration is measured by CLOCK_BOOTTIME, without the days by which the clock was set.
nodometer report 901 --json | sed 's/.*"nodes":1,[^{]*"duration":\([0-9]*\).*/\1/' |
	awk '{ exit !($1 < 600) }' || fail "too long: $(cat "$scratch/report")"

# After the clock was set back, the newest sample is in the future: a report requests a new sample.
write_config
set_clock 86400
launch_shimmed
expect 0 nodometer begin 902
expect 0 nodometer collect
set_clock 0
n=$(groups | wc -l)
answer=$(perl - "$runtime/control" 'fresh 99999999999 902' <"$srcdir/tests/e2e/ask.pl")
case $answer in
ok*) ;;
*) fail "fresh: $answer" ;;
esac
is "groups after a request for a sample" "$(groups | wc -l)" $((n + 1))
stop_agent
