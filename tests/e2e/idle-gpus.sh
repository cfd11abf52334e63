#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# idle-gpus.sh - GPUs that a job has but does not use are reported from the next sample on
. "$(dirname "$0")/lib.sh"

root=$scratch/root
groups=$root/sys/fs/cgroup/system.slice/slurmstepd.scope
mkdir -p "$root/proc" "$groups"
echo '1000.00 2000.00' >"$root/proc/uptime"
for card in 0 1 2; do
	mkdir -p "$root/sys/class/drm/card$card/device"
	printf '%s\n' 'DRIVER=amdgpu' "PCI_SLOT_NAME=0000:1$card:00.0" \
		>"$root/sys/class/drm/card$card/device/uevent"
done
# process PID JOB CARD: make process PID in the cgroup of JOB, with GPU CARD open
process() {
	mkdir -p "$root/proc/$1/fd" "$root/proc/$1/fdinfo" "$groups/job_$2/step_0/user/task_0"
	echo "0::/system.slice/slurmstepd.scope/job_$2/step_0/user/task_0" >"$root/proc/$1/cgroup"
	printf '%s:\t%s\n' drm-driver amdgpu drm-client-id "$1" drm-pdev "0000:1$3:00.0" \
		drm-resident-vram '1000 KiB' drm-engine-gfx '1000 ns' >"$root/proc/$1/fdinfo/3"
	ln -s "/dev/dri/renderD128" "$root/proc/$1/fd/3"
}
# ends PID: remove the process
ends() {
	rm -r "$root/proc/$1"
}
sample() {
	expect 0 bounded 60 mark --timeout 30 sample
}
# idle TIME STATUS LINES: run status --idle-gpus TIME, and check its exit status and its lines "JOB
# GPU never|used"
idle() {
	bounded 30 status --idle-gpus "$1" >"$scratch/idle" 2>"$scratch/why"
	got=$?
	[ $got -eq "$2" ] || fail "status --idle-gpus $1: $got, not $2: $(cat "$scratch/idle" \
		"$scratch/why")"
	awk '{ printf "%s%s %s %s", (NR > 1 ? ", " : ""), $1, $2, $4 == "-" ? "never" : "used" }' \
		"$scratch/idle" >"$scratch/lines"
	is "idle for $1" "$(cat "$scratch/lines")" "$3"
}

idle 1s 3 ''		# no agent
grep -q 'agent' "$scratch/why" || fail "no word of the agent: $(cat "$scratch/why")"
launch_agent --root "$root"
wait_until 20 answers

# Job 7 has GPUs 0 and 1 and uses GPU 0; job 8 has GPU 2, which a process of job 7 uses.
process 100 7 0
process 102 7 2
expect 0 nodometer begin --strict --attr gpus=0,1 7
expect 0 nodometer begin --strict --attr gpus=2 8
sample
idle 1min 0 ''
sleep 5.2
idle 5s 0 ''		# no sample shows it yet
sample
idle 5s 1 '7 1 never, 8 2 never'
idle 1min 0 ''

# A process uses GPU 1, so it is no longer idle. GPU 0 loses its only process: it is idle after use.
process 101 7 1
ends 100
sample
idle 1s 1 '8 2 never'
sleep 1.2
sample
idle 1s 1 '7 0 used, 8 2 never'

# A reload keeps the idle times of GPUs.
kill -HUP "$agent"
wait_until 20 log_says 'configuration reloaded'
sample
idle 1s 1 '7 0 used, 8 2 never'

# After a restart of the agent, idle times start at 0; the lists of the jobs' GPUs are kept.
stop_agent
launch_agent --root "$root"
wait_until 20 answers
sample
idle 1min 0 ''
sleep 1.2
sample
idle 1s 1 '7 0 never, 8 2 never'

# If a sample has no row of a GPU, the GPU's state is unknown, and its earlier idle time does not
# count.
mv "$root/sys/class/drm/card2" "$scratch/card2"
mv "$root/sys/class/drm/card0" "$scratch/card0"
stop_agent
launch_agent --root "$root"
wait_until 20 answers
sample
idle 1s 3 ''
grep -qx 'job 8: GPU 2 may be idle: type gpu_job has no row for it' "$scratch/why" ||
	fail "why: $(cat "$scratch/why")"

# When a job ends, its GPUs are no longer idle. If no job lists its GPUs, no GPU is idle.
expect 0 nodometer end --strict 7
expect 0 nodometer end --strict 8
idle 1s 0 ''
expect 0 nodometer begin --strict 9
sample
idle 1s 0 ''
for wrong in 60 0.5h now ''; do
	bounded 30 status --idle-gpus "$wrong" >"$scratch/idle" 2>&1
	is "status of '$wrong'" $? 2
done
stop_agent
whole_archive
