#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# job_end.sh - the CPU time and memory of a job are complete even if its cgroup disappears between
# two samples
. "$(dirname "$0")/job_lib.sh"

# play put_v1|put_v2 PARENT FOLDER: change counters as the kernel does, first for one job alone,
# then for two jobs, one of which continues when the other ends
play() {
	put=$1 parent=$2 below=$3
	$put "$parent" 5000000
	$put "$below/job_1" 0
	start_agent --root "$root"
	wait_until 20 began 1
	# The job uses 8 s of CPU time that the agent reads only in the counter of the parent
	# cgroup.
	freeze
	$put "$below/job_1" 8000000 9000
	$put "$parent" 13000000
	remove "$below/job_1"
	go_on
	wait_until 20 ended 1
	is "CPU time of job 1" "$(last 1 cpu)" 8000000
	is "whole, of job 1" "$(last 1 whole)" 1
	[ "$(last 1 age)" -gt 0 ] || fail "job 1 is said to be there"

	# With two jobs, the use of the job that continues is not counted for the job that ends.
	freeze
	$put "$below/job_2" 0
	$put "$below/job_3" 0
	go_on
	wait_until 20 began 3
	freeze
	$put "$below/job_2" 1000000
	$put "$below/job_3" 3000000
	$put "$parent" 17000000
	remove "$below/job_2"
	go_on
	wait_until 20 ended 2
	is "CPU time of job 2" "$(last 2 cpu)" 1000000
	is "CPU time of job 3 meanwhile" "$(last 3 cpu)" 3000000
	is "age of what is there" "$(last 3 age)" 0
	freeze
	$put "$parent" 17500000
	remove "$below/job_3"
	go_on
	wait_until 20 ended 3
	is "CPU time of job 3" "$(last 3 cpu)" 3500000
}

play put_v2 $scope $scope
is "figure of job 1" "$(figure 1 cpu)" 8
is "figure of its memory" "$(figure 1 mem_peak)" 'at least 4096'

# When two jobs end at the same moment, it is unknown which of them used the CPU time since the last
# reading; the record says so.
freeze
put_v2 $scope/job_4 0
put_v2 $scope/job_5 0
go_on
wait_until 20 began 5
freeze
put_v2 $scope 27500000
remove $scope/job_4 $scope/job_5
go_on
wait_until 20 ended 4
wait_until 20 ended 5
is "figure of job 4" "$(figure 4 cpu)" 'at least 0'
is "whole, of job 5" "$(last 5 whole)" 0

# Between samples, a timer makes the agent read jobs without writing; the job's last row has the
# last of these readings. The access time of the cgroup's file shows the reading, if the file system
# keeps access times.
timer() {
	freeze
	put_v2 $scope/job_6 0
	go_on
	wait_until 20 began 6
	before=$(rows 6)
	: >"$cgroups/$scope/cpu.stat"	# so the parent's counter cannot add unread CPU time
	: >"$scratch/written"
	put_v2 $scope/job_6 2000000 12288
	wait_until 20 is_read "$cgroups/$scope/job_6/cpu.stat"
	is "rows of job 6 without an event" "$(rows 6)" "$before"
	wait_until 20 is_read "$cgroups/$scope/job_6/memory.peak"
	remove $scope/job_6
	wait_until 20 ended 6
	is "figure of job 6" "$(figure 6 cpu)" 'at least 2'
	is "its memory" "$(figure 6 mem_peak)" 'at least 12288'
}
: >"$scratch/written"
echo 1 >"$scratch/read" && cat "$scratch/read" >/dev/null
! is_read "$scratch/read" || timer

whole_archive
stop_agent

rm -r "$archive" "$runtime" "$cgroups"
mkdir "$archive"
play put_v1 slurm slurm/uid_7
whole_archive
stop_agent
