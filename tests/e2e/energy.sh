#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# energy.sh - after RAPL's counter wrapped, processes that read it one after another do not count
# energy twice
. "$(dirname "$0")/lib.sh"

root=$scratch/root
zone=$root/sys/class/powercap/intel-rapl:0
mkdir -p "$zone" "$root/proc" || exit 99
printf 'processor\t: 0\nvendor_id\t: GenuineIntel\n' >"$root/proc/cpuinfo"
echo package-0 >"$zone/name"
echo 262143328850 >"$zone/max_energy_range_uj"
write_config

# joules N: set the zone's counter to N joules since its last wrap
joules() { echo "${1}000000" >"$zone/energy_uj"; }

# used JOB: print the job's joules from its report, or "none"
used() {
	total=$(nodometer report "$1" --dir "$archive" --json | tr '{' '\n' |
		sed -n '/"figure":"intel_rapl.pkg_energy"/s/.*"total":\([0-9.]*\).*/\1/p')
	echo "${total:-none}"
}

# The agent sees a wrap before the job starts, so its own counter exceeds the zone's counter by 262
# kJ from then on.
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

# Without an agent, begin and end are separate processes, and neither knows how often the counter
# wrapped in between.
joules 2000
expect 0 nodometer begin 8 --root "$root"
joules 2500
expect 0 nodometer end 8 --root "$root"
is 'energy between two hooks' "$(used 8)" none
