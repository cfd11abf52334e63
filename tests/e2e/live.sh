#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# live.sh - live samples, which are taken between samples for the archive, reach the sinks in order,
# but are not in the archive
. "$(dirname "$0")/lib.sh"
mkdir -p "$scratch/text"
page=$scratch/text/nodometer.prom

write_config 'interval = 5s' 'live-interval = 5s'
expect 1 "$bin/nodometerd" --check --config "$conf" 2>"$scratch/said"
grep -q 'live-interval is not shorter than interval' "$scratch/said" ||
	fail "$(cat "$scratch/said")"
write_config 'live-types = cpu, memm'
expect 1 "$bin/nodometerd" --check --config "$conf" 2>"$scratch/said"
grep -q "$conf:[0-9]*: live-types: unknown type \"memm\"" "$scratch/said" ||
	fail "$(cat "$scratch/said")"
write_config '[sink metrics]'
expect 1 "$bin/nodometer-send" --check --config "$conf" 2>"$scratch/said"
grep -q 'set listen, socket-dir or textfile-dir' "$scratch/said" || fail "$(cat "$scratch/said")"

# A scheduler of another test on this machine would cause additional samples.
write_config 'live-interval = 500ms' 'live-types = vm' '[send]' \
	"state-dir = $scratch/state" '[sink metrics]' "textfile-dir = $scratch/text"
start_agent
expect 0 nodometer begin --strict 42
launch_sender

# At once, the page has the archive's newest record; then values of live types change, while values
# of other types stay.
has() { grep -q "^$1" "$page" 2>/dev/null; }
value_of() { sed -n "s/^$1{.*} //p" "$page" 2>/dev/null | head -n 1; }
taken_at() { value_of nodometer_sample_timestamp_seconds; }
# taken_after TIME: succeed if the page has a sample that was taken after TIME
taken_after()
{
	awk -v newest="$(taken_at)" -v time="$1" 'BEGIN { exit !(newest + 0 > time + 0) }'
}
archived=$(raw_text | sed -n 's/^\([0-9][0-9.]*\) .*/\1/p' | tail -n 1)
wait_until 10 taken_after "$archived"
first=$(taken_at)
pages=$(value_of nodometer_numa_numa_hit_total) freed=$(value_of nodometer_vm_pgfree_total)
[ -n "$pages" ] || fail "no pages of NUMA nodes: $(cat "$page")"
[ -n "$freed" ] || fail "no freed pages: $(grep _vm_ "$page")"
grep -E '^(# (HELP|TYPE) )?node_' "$page" && fail "names of node_exporter are in its folder"
live() { [ "$(value_of nodometer_vm_pgfree_total)" != "$freed" ]; }
wait_until 10 live
wait_until 10 taken_after "$first"
is 'a value of the archive' "$(value_of nodometer_numa_numa_hit_total)" "$pages"
[ "$(raw_text | grep -c '^[0-9]')" = 2 ] || fail "live samples in the archive: $(groups)"

# The sample of a mark has all types, so other types change, too; live samples continue after it.
expect 0 nodometer end --strict 42
newer() { [ "$(value_of nodometer_numa_numa_hit_total)" != "$pages" ]; }
wait_until 10 newer
freed=$(value_of nodometer_vm_pgfree_total)
wait_until 10 live
end_program 5 "$sender" 'the sender'
[ ! -e "$page" ] || fail 'a page that nobody renews was left'

# nodometer status shows the time of the last live sample, and why live samples fail.
nodometer status >"$scratch/said" || fail 'no status'
for line in 'live interval  *0.5 s' "live file  *$runtime/live/$host/current" \
	'last live sample  *20[0-9-]* [0-9:]*'; do
	grep -qx "$line" "$scratch/said" || fail "no $line: $(cat "$scratch/said")"
done
nodometer status --json | grep -q '"live_interval":0.5,.*"live_last":[0-9]' ||
	fail "$(nodometer status --json)"
in_its_way() {	# put a file in the folder's place; fails if the agent makes the folder first
	rm -rf "$runtime/live/$host"
	(: >"$runtime/live/$host") 2>/dev/null
}
wait_until 5 in_its_way
failing() { nodometer status --check | grep -q '^NODOMETER WARNING - no live samples: '; }
wait_until 5 failing
sleep 1.2	# at least two further live samples, which fail in the same way
is 'messages' "$(grep -c 'nodometer-send gets no live samples' "$log")" 1
rm "$runtime/live/$host"
good() { ! nodometer status | grep -q '^no live samples'; }
wait_until 5 good
stop_agent
"$bin/nodometer" check "$runtime/live/$host/current" >"$scratch/said" ||
	fail "the live file: $(cat "$scratch/said")"
grep -q '%' "$runtime/live/$host/current" && fail 'a mark is in a live sample'

# With --once, as cron starts it, the sender writes a page with the last record, and the page stays.
expect 0 "$bin/nodometer-send" --config "$conf" --once
has 'nodometer_numa_numa_hit_total' || fail "--once wrote no page: $(cat "$page")"

# Sinks get the archive's samples, too, so no live sample is taken shortly before or after one of
# them. With these intervals, the time between the ticks for both changes by 20 ms each time.
write_config 'interval = 220ms' 'live-interval = 200ms' 'live-types = vm'
rm -rf "$runtime/live"
start_agent
: >"$scratch/times"
# noted: append the times of live samples to $scratch/times; succeed if there are at least 12
noted() {
	sed -n 's/^\([0-9][0-9.]*\)\( .*\)*$/\1/p' "$runtime/live/$host/current" >>"$scratch/times"
	[ "$(sort -u "$scratch/times" | wc -l)" -ge 12 ]
}
wait_until 30 noted
stop_agent
near=$(sort -u "$scratch/times" | awk '{
	after = ($1 * 1000000) % 220000
	if (after < 66000 || 220000 - after < 66000)
		print $1, after
}')
[ -z "$near" ] || fail "live samples near samples of the archive: $near"
