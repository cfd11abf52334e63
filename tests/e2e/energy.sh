#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# energy.sh - processes that read RAPL's counter in turn do not count energy twice after a wrap
. "$(dirname "$0")/lib.sh"

root=$scratch/root
zone=$root/sys/class/powercap/intel-rapl:0
mkdir -p "$zone" "$root/proc" || exit 99
printf 'processor\t: 0\nvendor_id\t: GenuineIntel\n' >"$root/proc/cpuinfo"
echo package-0 >"$zone/name"
echo 262143328850 >"$zone/max_energy_range_uj"
write_config

# joules N: set the joules that the zone has counted since its last wrap
joules() { echo "${1}000000" >"$zone/energy_uj"; }

# used JOB: print the joules in the report, or "none"
used() {
	total=$(nodometer report "$1" --dir "$archive" --json | tr '{' '\n' |
		sed -n '/"figure":"intel_rapl.pkg_energy"/s/.*"total":\([0-9.]*\).*/\1/p')
	echo "${total:-none}"
}

# The agent sees a wrap before the job starts: its counter exceeds the zone's by 262 kJ.
joules 261000
start_agent --root "$root"
joules 1000
expect 0 nodometer mark sample
expect 0 nodometer begin 7
joules 1500
expect 0 nodometer mark sample
stop_agent
joules 1600
start_agent --root "$root"
joules 1900
expect 0 nodometer end 7
stop_agent
is 'energy without what was used while no agent ran' "$(used 7)" 800

# Without an agent, each hook is another process: nobody knows how often the counter wrapped.
joules 2000
expect 0 nodometer begin 8 --root "$root"
joules 2500
expect 0 nodometer end 8 --root "$root"
is 'energy between two hooks' "$(used 8)" none
