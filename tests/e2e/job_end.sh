#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# job_end.sh - the use of a job is complete even if its control group goes between two samples
job_cgroups=yes
. "$(dirname "$0")/lib.sh"

# The agent sees a tree in which the test plays Slurm and the kernel, and no tick is near.
root=$scratch/root
cgroups=$root/sys/fs/cgroup
mkdir -p "$root/proc"
echo '100.00 200.00' >"$root/proc/uptime"
seq -f 'cpu%g 1 2 3 4' 0 63 >"$root/proc/stat"	# so many that jobs of a second can have used them
printf 'cpu  1 2 3 4\n' >>"$root/proc/stat"

# put_v2 GROUP USEC [PEAK]: set the counters of cgroup v2; files are written in place, as in the
# kernel
put_v2() {
	mkdir -p "$cgroups/$1"
	echo "${3:-4096}" >"$cgroups/$1/memory.peak"
	printf 'usage_usec %d\nuser_usec %d\nsystem_usec 0\n' "$2" "$2" >"$cgroups/$1/cpu.stat"
}

# put_v1: set the counters of cgroup v1, in two controllers; user time is in steps of 10 ms
put_v1() {
	mkdir -p "$cgroups/memory/$1" "$cgroups/cpuacct/$1"
	echo "${3:-4096}" >"$cgroups/memory/$1/memory.max_usage_in_bytes"
	printf 'user %d\nsystem 0\n' $(($2 / 10000)) >"$cgroups/cpuacct/$1/cpuacct.stat"
	echo $(($2 * 1000)) >"$cgroups/cpuacct/$1/cpuacct.usage"
}

# The agent keeps a group's files open, which then read nothing. The kernel gives no group the inode
# of an earlier one: we hold the last one's until the next is there.
remove() {	# GROUP...
	for group; do
		[ ! -e "$cgroups/$group/cpu.stat" ] || exec 4<"$cgroups/$group/cpu.stat"
		[ ! -e "$cgroups/$group/memory.peak" ] || exec 5<"$cgroups/$group/memory.peak"
		for tree in "$cgroups" "$cgroups/memory" "$cgroups/cpuacct"; do
			[ -d "$tree/$group" ] || continue
			find "$tree/$group" -type f -exec truncate -s 0 {} +
			rm -r "${tree:?}/$group"
		done
	done
}

rows() {
	raw_text | awk -v job="$1" '$1 == "job" && $2 == job { n++ } END { print n + 0 }'
}

# last JOB COLUMN: print a column of the job's newest row
last() {
	raw_text | awk -v job="$1" -v column="$2" '
		$1 == "!job" { for (i = 2; i <= NF; i++) { split($i, k, ","); at[k[1]] = i + 1 } }
		$1 == "job" && $2 == job { v = $at[column] } END { print v }'
}
is_read() {	# FILE: the agent has read it since it was written
	[ -n "$(find "$1" -anewer "$scratch/written")" ]
}
ended() {
	[ "$(count "%end $1")" = 1 ]
}
figure() {	# JOB KEY -> its total or its peak, and whether that is all
	"$bin/nodometer-report" "$1" --dir "$archive" --json | sed 's/[{,]/\n/g' | awk -v key="$2" '
		/^"figure":/ { of = $0 == "\"figure\":\"job." key "\"" }
		of && sub(/^"(total|max)":/, "") { text = $0 }
		of && sub(/^"at_least":true/, "") { text = "at least " text }
		END { print text }'
}

# freeze: stop the agent, so that all changes until it continues happen at one moment
freeze() {
	kill -STOP "$agent"
}
go_on() {
	kill -CONT "$agent"
}
began() {
	[ "$(count "%begin $1")" = 1 ]
}

# play put_v1|put_v2 PARENT FOLDER: run a job alone, then two jobs of which one continues
play() {
	put=$1 parent=$2 below=$3
	$put "$parent" 5000000
	$put "$below/job_1" 0
	start_agent --root "$root"
	wait_until 20 began 1
	# The job works for 8 s that no reading covers: the parent's counter has all of its time.
	freeze
	$put "$below/job_1" 8000000 9000
	$put "$parent" 13000000
	remove "$below/job_1"
	go_on
	wait_until 20 ended 1
	is "CPU time of job 1" "$(last 1 cpu)" 8000000
	is "whole, of job 1" "$(last 1 whole)" 1
	[ "$(last 1 age)" -gt 0 ] || fail "job 1 is said to be there"

	# Two jobs: the use of the job that continues is not counted for the other.
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

play put_v2 system.slice/slurmstepd.scope system.slice/slurmstepd.scope
scope=system.slice/slurmstepd.scope
is "figure of job 1" "$(figure 1 cpu)" 8
is "figure of its memory" "$(figure 1 mem_peak)" 'at least 4096'

# Two jobs end at the same moment: their shares of the remainder are unknown, and the record says
# so.
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

# A timer reads jobs between samples and writes nothing; the row at the end has its last reading.
# The access time of the file shows the reading, if the file system keeps it.
timer() {
	freeze
	put_v2 $scope/job_6 0
	go_on
	wait_until 20 began 6
	before=$(rows 6)
	: >"$cgroups/$scope/cpu.stat"	# no parent has the rest
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

# A job with a hook: its group disappears and returns between its steps, long before its epilog.
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

# Jobs whose last process ends before their group disappears: the reading at that moment is
# complete.
# step JOB STEP 0|1: whether the step has a process; the file is written in place
step() {
	mkdir -p "$cgroups/$scope/job_$1/step_$2/user" "$cgroups/$scope/job_$1/step_$2/slurm"
	printf 'populated %d\nfrozen 0\n' "$3" >"$cgroups/$scope/job_$1/step_$2/user/cgroup.events"
}
# last_process JOB USEC PEAK: the process uses this time and ends, and its group disappears
last_process() {
	put_v2 $scope/job_"$1" "$2" "$3"
	step "$1" batch 0
	expect 0 nodometer collect
	freeze
	remove $scope/job_"$1"
	go_on
}
: >"$cgroups/$scope/cpu.stat"	# no parent has the rest
freeze	# a group is there with all its files at once
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

# Another step follows, and is not read any more.
put_v2 $scope/job_9 1000000
step 9 batch 0
expect 0 nodometer collect
freeze
step 9 0 1
remove $scope/job_9
go_on
wait_until 20 ended 9
is "figure of job 9" "$(figure 9 cpu)" 'at least 1'

# More steps come and go in job 10, and its last process is not of the first step.
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

rm -r "$archive" "$runtime" "$cgroups"
mkdir "$archive"
play put_v1 slurm slurm/uid_7
whole_archive
stop_agent
