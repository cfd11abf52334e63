#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# later.sh - a job whose epilog was lost ends when a later job gets the node alone, and the agent
# logs this
job_cgroups=yes
. "$(dirname "$0")/lib.sh"

[ "$(id -u)" -eq 0 ] || skip "needs root, to give a folder away"
root=$scratch/root
process=$root/proc/4711
mkdir -p "$process" "$root/proc/1"
printf 'cpu  1 2 3 4\ncpu0 1 2 3 4\n' >"$root/proc/stat"
echo '100.00 50.00' >"$root/proc/uptime"
chown 990 "$process"
scope=$root/sys/fs/cgroup/system.slice/slurmstepd.scope
mkdir -p "$scope/job_70"
echo usage_usec 5 >"$scope/job_70/cpu.stat"

# begin JOB [WORD...]: begin a job of user 990 as Slurm's prolog does
begin() {
	job=$1
	shift
	expect 0 nodometer begin --strict --attr uid=990 "$@" "$job" 2>/dev/null
}
# owners JOBS: take a sample, and fail unless these jobs own the node
owners() {
	expect 0 nodometer collect
	is "jobs" "$(last_jobs)" "$1"
}
known() { answers && grep -q '^job  *70,' "$scratch/status"; }

start_agent --root "$root"
wait_until 5 known
begin 71
begin 70
is "jobs" "$(last_jobs)" 70,71

# Job 72, which may share the node, ends no other job. Job 73 has the node alone, but no job ends
# while the jobs' user has a process.
begin 72
begin 73 --attr exclusive=yes
owners 70,71,72,73
expect 0 nodometer end 73
rmdir "$process"

# After a restart of the agent, job 74, which has the node alone, ends all jobs but job 70, which
# has a cgroup.
stop_agent KILL
start_agent --root "$root"
wait_until 5 known
begin 74 --attr exclusive=yes
owners 70,74
is "marks" "$(raw_text | grep 'later-begin' | tr '\n' ' ')" \
	'%end 71 source=later-begin by=74 %end 72 source=later-begin by=74 '
is "jobs in the log" "$(grep -c 'job 7[12] has ended: no hook reported it, but job 74' "$log")" 2
answers && [ "$(value_of 'jobs ended by a later one')" = 2 ] || fail "$(cat "$scratch/status")"
nodometer report 71 >"$scratch/report" || fail "no report"
grep -q 'Ended unseen, at the latest when a later job had the node alone' "$scratch/report" ||
	fail "the page does not say it: $(cat "$scratch/report")"

# If the lost end of a job arrives after all, it makes no second end mark.
expect 0 nodometer end --strict 71 2>"$scratch/err"
grep -q 'has ended already' "$scratch/err" || fail "end says: $(cat "$scratch/err")"
is "ends" "$(count '^%end 71$')" 1
begin 71
expect 0 nodometer end --strict 71
is "ends" "$(count '^%end 71$')" 2

# With "exclusive-jobs = yes", each job has its node alone: this needs no attribute "exclusive", and
# no running agent.
stop_agent
write_config 'exclusive-jobs = yes'
expect 0 nodometer begin --strict 75 2>/dev/null
expect 0 nodometer begin --strict 76 2>/dev/null
is "marks" "$(raw_text | grep 'by=76')" '%end 75 source=later-begin by=76'
whole_archive
! grep -i 'same' "$scratch/check" || fail "check: $(cat "$scratch/check")"
