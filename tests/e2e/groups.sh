#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# groups.sh - jobs that no hook reports are found by their control groups, once each
job_cgroups=yes
. "$(dirname "$0")/lib.sh"

# The agent sees a tree of cgroup v2 in which the test plays Slurm's part.
root=$scratch/root
scope=$root/sys/fs/cgroup/system.slice/slurmstepd.scope
mkdir -p "$root/proc" "$scope"
printf 'cpu0 1 2 3 4\n' >"$root/proc/stat"
printf 'cpu  1 2 3 4\n' >>"$root/proc/stat"

# all_marks: print the marks without %counters_restart, which depends on reused inodes, and without
# the time at which a group disappeared
all_marks() {
	raw_text | grep '^%' | grep -v '^%counters_restart ' |
		sed 's/^\(%end .* source=cgroup\) at=[0-9.]*$/\1/' | tr '\n' ' '
}
soon() {
	wait_until 20 say_so "$1" || is "marks" "$(all_marks)" "$1 "
}
say_so() {
	[ "$(all_marks)" = "$1 " ]
}
job() {
	mkdir "$scope/job_$1" && echo usage_usec 5 >"$scope/job_$1/cpu.stat"
}
no_jobs() {
	expect 0 nodometer collect
	[ "$(last_jobs)" = - ]
}
no_job() {
	rm -r "$scope/job_$1"
}

job 1
start_agent --root "$root"
all='%begin 1 source=cgroup'
soon "$all"

# A group appears and disappears; then the epilog comes late, twice.
job 2
all="$all %begin 2 source=cgroup"
soon "$all"
no_job 2
all="$all %end 2 source=cgroup"
soon "$all"
raw_text | grep -q '^%end 2 source=cgroup at=' || fail 'the end has no time of its own'
expect 0 nodometer end --strict 2
expect 0 nodometer end --strict 2

# The hook comes first, and its end counts, whenever the group disappears.
expect 0 nodometer begin --strict --attr user=ann --attr nodes= 3
all="$all %begin 3 source=hook user=ann"
job 3
no_job 3
job 3
expect 0 nodometer end --strict --attr exit=0:0 3
all="$all %end 3 source=hook exit=0:0"
no_job 3
soon "$all"

# The group comes first; the hook's end still counts, and the remaining group starts no job.
job 4
all="$all %begin 4 source=cgroup"
soon "$all"
expect 0 nodometer begin --strict --attr user=bob 4
all="$all %attributes 4 source=hook user=bob"
soon "$all"
expect 0 nodometer end --strict 4
all="$all %end 4 source=hook"
soon "$all"
mkdir "$scope/other"
sleep 0.3
soon "$all"
no_job 4

# A job starts again under its id after the agent saw its group disappear; another group disappears
# later.
job 9
all="$all %begin 9 source=cgroup"
soon "$all"
no_job 9
all="$all %end 9 source=cgroup"
soon "$all"
job 4
all="$all %begin 4 source=cgroup"
soon "$all"

# During a restart of the agent, one group disappears, one appears, and one stays.
stop_agent
no_job 1
job 5
start_agent --root "$root"
all="$all %end 1 source=cgroup %begin 5 source=cgroup"
soon "$all"
no_job 4
no_job 5
wait_until 20 no_jobs || is "jobs at the end" "$(last_jobs)" -
stop_agent

# The scheduler starts after the agent: its first job has a row at its start, not a minute later.
rm -r "$root/sys/fs/cgroup/system.slice"
start_agent --root "$root"
# The kernel shows a group together with its files. A rename causes no event, but the other folder
# does.
cgroups=$root/sys/fs/cgroup
mkdir -p "$scratch/slice/slurmstepd.scope/job_6"
echo usage_usec 5 >"$scratch/slice/slurmstepd.scope/job_6/cpu.stat"
mv "$scratch/slice" "$cgroups/system.slice"
mkdir "$cgroups/other.slice"
begun() {
	raw_text | grep -qx '%begin 6 source=cgroup'
}
wait_until 20 begun || is "marks of job 6" none begin
raw_text | grep -q '^job 6 ' || is "rows of job 6" none some
no_job 6

# An id with terminal controls, as bytes and as characters, is printed safely for people and
# unchanged for programs.
expect 0 nodometer begin --strict "$(printf 'a\2331m\302\2331m\303\251')"
expect 0 nodometer status >"$scratch/out"
grep -q "^job  *a?1m??1m$(printf '\303\251'), since " "$scratch/out" ||
	fail "status: $(od -c "$scratch/out")"
nodometer status --json | grep -q '"id":"a\\ufffd1m\\u009b1m' || fail "$(nodometer status --json)"
expect 0 nodometer end --strict "$(printf 'a\2331m\302\2331m\303\251')"
stop_agent

# HTCondor: the group has the slot's name, and the job is in the starter's directory. Jobs follow
# each other in a slot; hooks and groups agree; an unknown job is reported once.
rm -r "$archive" "$runtime" "$cgroups"
slots=$cgroups/system.slice/htcondor
mkdir -p "$slots" "$archive"
printf '300 (a.out) S 250 300\n' >"$scratch/stat"
mkdir -p "$root/proc/300" && mv "$scratch/stat" "$root/proc/300/stat"
slot() {	# NAME [CLUSTER PROC]: begins a job there
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
