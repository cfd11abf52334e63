#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# groups.sh - jobs of Slurm that no hook reports are found by their cgroups, once each
. "$(dirname "$0")/groups_lib.sh"
scope=$cgroups/system.slice/slurmstepd.scope
mkdir -p "$scope"

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

# A job without a prolog begins and ends by its cgroup; its epilog, which comes late and twice, adds
# no mark.
job 2
all="$all %begin 2 source=cgroup"
soon "$all"
no_job 2
all="$all %end 2 source=cgroup"
soon "$all"
# The agent waits a second for the cgroup to return, and then marks the time of the disappearance.
raw_text | awk '/^[0-9]/ { now = $1 } /^%end 2 source=cgroup at=/ { sub(/.* at=/, ""); at = $0 }
	at && now { exit } END { exit !(at && now - at >= 0.9) }' ||
	fail "the end of job 2 is not marked at its time: $(raw_text | grep -a '^%end 2')"
expect 0 nodometer end --strict 2
expect 0 nodometer end --strict 2

# A job whose begin and end come from hooks gets no other marks, even if its cgroup disappears
# before the end.
expect 0 nodometer begin --strict --attr user=ann --attr nodes= 3
all="$all %begin 3 source=hook user=ann"
job 3
no_job 3
job 3
expect 0 nodometer end --strict --attr exit=0:0 3
all="$all %end 3 source=hook exit=0:0"
no_job 3
soon "$all"

# If a job's cgroup comes before the hook, the hook's end still counts, and the remaining cgroup
# starts no job.
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

# Job 4 starts again under its id after the agent saw its cgroup disappear; the cgroup of job 9
# comes and goes in between.
job 9
all="$all %begin 9 source=cgroup"
soon "$all"
no_job 9
all="$all %end 9 source=cgroup"
soon "$all"
job 4
all="$all %begin 4 source=cgroup"
soon "$all"

# During a restart of the agent, one cgroup disappears, one appears, and one stays.
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

# When the scheduler starts after the agent, its first job has a row at its start, not a minute
# later.
rm -r "$cgroups/system.slice"
start_agent --root "$root"
# In the kernel, a cgroup appears together with its files. Here it is renamed into place, which
# causes no event; making another folder causes one.
mkdir -p "$scratch/slice/slurmstepd.scope/job_6"
echo usage_usec 5 >"$scratch/slice/slurmstepd.scope/job_6/cpu.stat"
mv "$scratch/slice" "$cgroups/system.slice"
mkdir "$cgroups/other.slice"
begin_is_marked() {
	raw_text | grep -qx '%begin 6 source=cgroup'
}
wait_until 20 begin_is_marked || is "marks of job 6" none begin
raw_text | grep -q '^job 6 ' || is "rows of job 6" none some
no_job 6

# The agent tries several times to find a cgroup's job id. A cgroup whose id never appears must not
# use up the tries for the next cgroup, whose first process causes no event.
mkdir "$scope/sAAAAAAAAAAAAA"
sleep 6
mkdir "$scope/sEKNKTV3WPV500"
sleep 0.5
mkdir -p "$root/proc/77" "$scope/sEKNKTV3WPV500/step_0/slurm"
printf 'slurmstepd: [3385.0]' >"$root/proc/77/cmdline"
echo 77 >"$scope/sEKNKTV3WPV500/step_0/slurm/cgroup.procs"
named() {
	raw_text | grep -qx '%begin 3385 source=cgroup'
}
wait_until 20 named || is "marks of job 3385" none begin

# Terminal control characters in a job id, as single bytes and in UTF-8, are replaced for people and
# kept for programs.
expect 0 nodometer begin --strict "$(printf 'a\2331m\302\2331m\303\251')"
expect 0 nodometer status >"$scratch/out"
grep -q "^job  *a?1m??1m$(printf '\303\251'), since " "$scratch/out" ||
	fail "status: $(od -c "$scratch/out")"
nodometer status --json | grep -q '"id":"a\\ufffd1m\\u009b1m' || fail "$(nodometer status --json)"
expect 0 nodometer end --strict "$(printf 'a\2331m\302\2331m\303\251')"
stop_agent
