#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# summary.sh - the summary at the end of a job: a known load, a restart, no agent, several jobs
. "$(dirname "$0")/lib.sh"

# ends JOB [OPTIONS...]: end the job with a summary; set $line to the summary, which must be one
# line of at most 400 bytes
ends() {
	job=$1
	shift
	expect 0 bounded 30 end --summary --timeout 20 "$@" -- "$job" >"$scratch/line" \
		2>"$scratch/said"
	is "lines of $job" "$(wc -l <"$scratch/line")" 1
	[ "$(wc -c <"$scratch/line")" -le 400 ] || fail "more than 400 bytes"
	line=$(cat "$scratch/line")
	! command -v python3 >/dev/null || python3 -m json.tool "$scratch/line" >/dev/null ||
		fail "no JSON: $line"
}

has() {
	case $line in
	*"$1"*) ;;
	*) fail "no $1 in $line" ;;
	esac
}

lacks() {
	case $line in
	*"$1"*) fail "$1 in $line" ;;
	esac
}

# within KEY LOW HIGH: fail unless the value of KEY in $line is between LOW and HIGH
within() {
	value=$(expr "$line" : ".*\"$1\":\([-+.0-9e]*\)") || fail "no $1 in $line"
	awk -v v="$value" -v low="$2" -v high="$3" 'BEGIN { exit !(v >= low && v <= high) }' ||
		fail "$1 is $value, not $2 to $3, in $line"
}

# The agent reads counters from files that only this test changes.
root=$scratch/root
mkdir -p "$root/proc" "$root/sys/block/sda"
# node CPU SECTORS: set the user time, in hundredths of a second, and the sectors written. Files are
# overwritten in place, because the agent may read them at any moment; so numbers must not become
# shorter.
node() {
	echo "cpu0 $1 0 100 100000 0 0 0" 1<>"$root/proc/stat"
	echo "1 0 8 1 1 0 $2 1 0 1 1" 1<>"$root/sys/block/sda/stat"
}
echo 100.00 100.00 >"$root/proc/uptime"
node 1000 2000
start_agent --root "$root"
expect 0 nodometer begin --timeout 20 7 >"$scratch/out"
[ ! -s "$scratch/out" ] || fail "begin prints on its standard output"
node 7000 133072
ends 7
has '"job":"7","host":"node.test","end":'
has '"complete":true'
has '"cpu_user":60,"cpu_sys":0,'
has '"disk_read":0,"disk_written":6.711e+07'
lacks shared
within elapsed_s 0 20

# A second end of a job is reported, and its summary has no values; without --summary nothing is
# printed.
ends 7
has '"complete":false'
lacks cpu_user
grep -q 'has ended already' "$scratch/said" || fail "it does not say that 7 has ended"
expect 0 nodometer begin --timeout 20 8
expect 0 nodometer end --timeout 20 8 >"$scratch/out"
[ ! -s "$scratch/out" ] || fail "end prints without --summary"
ends 9
has '"job":"9"'
has '"complete":false'
grep -q 'was not begun here' "$scratch/said" || fail "it does not say that 9 was not begun"

# Two jobs share the node, and the configuration is reloaded while they run.
expect 0 nodometer begin --timeout 20 10
expect 0 nodometer begin --timeout 20 11
kill -s HUP "$agent"
wait_until 5 grep -q 'configuration reloaded' "$log"
node 8000 133072
ends 10
has '"shared":true,"complete":true,"schema":1,"cpu_user":10,'
ends 11
has '"shared":true'

# If the agent restarts during the job, the values at the job's start are lost, and the summary says
# so.
expect 0 nodometer begin --timeout 20 12
stop_agent KILL
start_agent --root "$root"
node 9000 133072
ends 12
has '"complete":false'
lacks cpu_user
within elapsed_s 0 60
stop_agent

# Without an agent, the summary has fewer values.
expect 0 nodometer begin --timeout 20 13 --root "$root"
ends 13 --root "$root"
has '"job":"13","host":"node.test"'
has '"complete":false'
lacks cpu_user

# Measure this machine: use one CPU for a second and write 64 MB to its disk.
[ -r /proc/stat ] || skip "no /proc/stat here; the rest passed"
start_agent
expect 0 nodometer begin --timeout 20 14
dd if=/dev/zero of="$scratch/data" bs=1M count=64 conv=fsync 2>/dev/null
timeout 1 sh -c 'while :; do :; done'
rm -f "$scratch/data"
expect 0 nodometer collect
ends 14
within elapsed_s 1 60
within cpu_user 0.3 "$(($(nproc) * 70))"
[ ! -r /sys/devices/system/node/node0/meminfo ] ||
	within mem_peak 1e6 "$(awk '/^MemTotal/ { print $2 * 1024 }' /proc/meminfo)"
stop_agent
whole_archive
