#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# job_steps.sh - the CPU time and memory of a job are complete although the cgroups of its steps
# come and go
. "$(dirname "$0")/job_lib.sh"
put_v2 $scope 27500000
start_agent --root "$root"

# The cgroup of a job that a hook began disappears and returns between its steps, long before its
# epilog.
expect 0 nodometer begin 7
freeze
put_v2 $scope 30000000
put_v2 $scope/job_7 1000000 20480
go_on
expect 0 nodometer collect
freeze
put_v2 $scope 30500000
remove $scope/job_7
go_on
expect 0 nodometer collect
is "CPU time of the first step" "$(last 7 cpu)" 1500000
rows=$(rows 7)
expect 0 nodometer collect
is "rows of a group that is gone" "$(rows 7)" "$rows"
freeze
put_v2 $scope 34500000
put_v2 $scope/job_7 4000000
go_on
expect 0 nodometer collect
freeze
put_v2 $scope 35500000
remove $scope/job_7
go_on
expect 0 nodometer end 7
is "figure of both steps" "$(figure 7 cpu)" 6.5

# If the last process of a job ends before the job's cgroup disappears, the reading at that moment
# is complete.
# step JOB STEP 0|1: begin a step with a process (1) or without one; the file is written in place
step() {
	mkdir -p "$cgroups/$scope/job_$1/step_$2/user" "$cgroups/$scope/job_$1/step_$2/slurm"
	printf 'populated %d\nfrozen 0\n' "$3" >"$cgroups/$scope/job_$1/step_$2/user/cgroup.events"
}
# last_process JOB USEC PEAK: let the job's last process use USEC of CPU time and end, then remove
# the job's cgroup
last_process() {
	put_v2 $scope/job_"$1" "$2" "$3"
	step "$1" batch 0
	expect 0 nodometer collect
	freeze
	remove $scope/job_"$1"
	go_on
}
: >"$cgroups/$scope/cpu.stat"	# so the parent's counter cannot add unread CPU time
freeze	# a cgroup appears with all its files at the same moment
for job in 8 9 10; do
	put_v2 $scope/job_$job 0
	step $job batch 1
done
go_on
wait_until 20 began 8
wait_until 20 began 9
wait_until 20 began 10
expect 0 nodometer collect
last_process 8 3000000 12288
wait_until 20 ended 8
is "whole, of job 8" "$(last 8 whole)" 3
is "its CPU time" "$(figure 8 cpu)" 3
is "its memory" "$(figure 8 mem_peak)" 12288

# After the last process of job 9 has ended, a new step begins, but the agent no longer reads the
# job's cgroup, so the CPU time so far, 1 s, is only a lower bound.
put_v2 $scope/job_9 1000000
step 9 batch 0
expect 0 nodometer collect
freeze
step 9 0 1
remove $scope/job_9
go_on
wait_until 20 ended 9
is "figure of job 9" "$(figure 9 cpu)" 'at least 1'

# In job 10, a second step begins and the first step ends, so the job's last process does not belong
# to the first step.
freeze
step 10 0 1
go_on
expect 0 nodometer collect
step 10 batch 0
expect 0 nodometer collect
put_v2 $scope/job_10 2000000
expect 0 nodometer collect
freeze
remove $scope/job_10
go_on
wait_until 20 ended 10
is "figure of job 10" "$(figure 10 cpu)" 'at least 2'
whole_archive
stop_agent
