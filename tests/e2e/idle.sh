#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# idle.sh - no timer wakes the agent between ticks if no scheduler has jobs on the node
job_cgroups=yes
. "$(dirname "$0")/lib.sh"

# The agent sees a tree without cgroups, then a tree with a Slurm job.
root=$scratch/root
mkdir -p "$root/proc"
echo '100.00 200.00' >"$root/proc/uptime"
printf 'cpu  1 2 3 4\ncpu0 1 2 3 4\n' >"$root/proc/stat"

# armed: print how many timers of CLOCK_MONOTONIC are armed, by fdinfo (proc(5)). Ticks do not
# count, because their timer uses CLOCK_REALTIME.
armed() {
	cat /proc/"$agent"/fdinfo/* 2>/dev/null | awk '
		$1 == "clockid:" { monotonic = $2 == 1 }
		$1 == "it_value:" && monotonic && $0 !~ /\(0, 0\)/ { n++ }
		END { print n + 0 }'
}
rests() {
	[ "$(armed)" = 0 ]
}
is_awake() {
	[ "$(armed)" -gt 0 ]
}

write_config
start_agent --root "$root"
wait_until 20 rests

job=$root/sys/fs/cgroup/system.slice/slurmstepd.scope/job_7
mkdir -p "$job"
echo 4096 >"$job/memory.peak"
printf 'usage_usec 5\nuser_usec 5\nsystem_usec 0\n' >"$job/cpu.stat"
# When the agent gets the counters back, it searches for all types again: it finds the cgroup of job
# 7, which did not exist when the agent started.
expect 0 nodometer begin --strict 7
expect 0 nodometer counters release 7
expect 0 nodometer counters acquire 7
expect 0 nodometer collect
wait_until 20 is_awake
stop_agent

# flicker: make and remove a scheduler's first cgroups again and again; the agent must keep watching
# for them
flicker() {
	for _ in 1 2 3 4 5 6 7 8 9 10; do
		mkdir -p "$groups/uid_7"
		rmdir "$groups/uid_7" "$groups"
	done
	mkdir -p "$groups/uid_7"
}
groups=$root/sys/fs/cgroup/cpuacct/slurm
rm -r "$root/sys"
mkdir -p "$root/sys/fs/cgroup/cpuacct"
for _ in 1 2 3; do
	rm -rf "$groups"
	start_agent --root "$root"
	wait_until 20 rests
	flicker
	wait_until 20 is_awake
	stop_agent
done
