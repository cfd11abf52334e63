#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# groups_htcondor.sh - jobs of HTCondor are found by the cgroups of their slots, once each
. "$(dirname "$0")/groups_lib.sh"

# HTCondor names the cgroup after the slot; the job's id is in the directory of its starter process.
# Jobs follow each other in a slot; hooks and cgroups agree; a slot without a known job is reported
# once.
slots=$cgroups/system.slice/htcondor
mkdir -p "$slots"
printf '300 (a.out) S 250 300\n' >"$scratch/stat"
mkdir -p "$root/proc/300" && mv "$scratch/stat" "$root/proc/300/stat"
# slot NAME [CLUSTER PROC]: begin job CLUSTER.PROC, or a job without a known id, in the slot
slot() {
	if [ $# -gt 1 ]; then
		mkdir -p "$root/execute/dir_250"
		printf 'ClusterId = %s\nProcId = %s\n' "$2" "$3" >"$root/execute/dir_250/.job.ad"
	fi
	group=$slots/condor_execute_$1@n
	mkdir "$group" && echo usage_usec 5 >"$group/cpu.stat"
	echo 300 >"$group/cgroup.procs"
}
no_slot() {
	rm -r "$slots/condor_execute_$1@n"
}
start_agent --root "$root"
slot slot1 12 0
all='%begin 12.0 source=cgroup'
soon "$all"
no_slot slot1
slot slot1 12 1
all="$all %end 12.0 source=cgroup %begin 12.1 source=cgroup"
soon "$all"
expect 0 nodometer begin --strict --attr user=ann 13.0
slot slot2 13 0
no_slot slot1
all="$all %begin 13.0 source=hook user=ann %end 12.1 source=cgroup"
soon "$all"
expect 0 nodometer end --strict 13.0
no_slot slot2
all="$all %end 13.0 source=hook"
soon "$all"
rm -r "$root/execute"
slot slot3
said() {
	[ "$(grep -c 'not marked: slot execute_slot3@n: no ancestor' "$log")" -eq 1 ]
}
wait_until 10 said
slot slot4
mkdir "$slots/other"
sleep 0.3
said || is "messages" "$(grep -c 'not marked' "$log")" 1
soon "$all"
stop_agent
