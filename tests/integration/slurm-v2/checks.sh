#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# checks.sh - in the guest, check what the agent, started by its unit, records of jobs of slurmd
#
# On an emulated processor a Slurm program takes seconds to load its plugins, so wait for conditions
# by reading files. Times are seconds since the kernel's start.
set -u
export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C
nodes=$(hostname)
cpus=2
S=/run/slurm
SLURM_CONF=/etc/slurm/slurm.conf	# the usual place
# shellcheck source=../words.sh
. "${words:-/share/words.sh}"
# shellcheck source=../slurm.sh
. "${slurm:-/share/slurm.sh}"
# shellcheck source=../measure.sh
. "${measure:-/share/measure.sh}"
began=$((began - $(cut -d. -f1 /proc/uptime)))
trap 'echo $((failures > 0 || $? > 0)) >/share/status' EXIT

# soon COMMAND...: repeat the command until it succeeds, for up to 150 seconds, silently
soon()
{
	for _ in $(seq 300); do
		! "$@" >/dev/null 2>&1 || return 0
		sleep 0.5
	done
	return 1
}

# Start the agent's unit without its limit of CPU time, because an emulated processor is slow; the
# test "systemd" checks the limit. Record few types, as in the test "slurm".
agent()
{
	ip link set lo up
	# slurmctld requires an address that is not a loopback address
	ip address add 10.77.0.1/32 dev lo
	printf '%s: files\n' passwd group shadow hosts >/etc/nsswitch.conf
	cp -a /share/install/. /
	systemd-sysusers /usr/lib/sysusers.d/nodometer.conf
	systemd-tmpfiles --create nodometer.conf
	printf '%s\n' '[types]' >>/etc/nodometer/nodometer.conf
	printf '%s = off\n' block net numa proc ps psi sysv_shm tmpfs vfs vm \
		>>/etc/nodometer/nodometer.conf
	mkdir -p /run/systemd/system/nodometerd.service.d
	printf '[Service]\nCPUQuota=\n' >/run/systemd/system/nodometerd.service.d/test.conf
	say 'the agent is installed'
	systemctl start nodometerd || { journalctl -b -n 30 --no-pager; die 'no agent'; }
	say 'the agent runs'
}

start()
{
	mkdir -p /etc/slurm $S
	munge_up
	say 'munged runs'
	printf '%s\n' CgroupPlugin=cgroup/v2 ConstrainCores=yes ConstrainRAMSpace=yes \
		>/etc/slurm/cgroup.conf
	configure 'ProctrackType=proctrack/cgroup
TaskPlugin=task/cgroup
JobAcctGatherType=jobacct_gather/cgroup
SelectTypeParameters=CR_CPU_Memory
DefMemPerCPU=100'
	# CPU time that slurmstepd uses before it enters the job's cgroup also counts. Keep
	# slurmstepd from loading hwloc plugins of other packages.
	mkdir -p /run/systemd/system/slurmd.service.d
	printf '[Service]\nEnvironment=HWLOC_PLUGINS_PATH=/nowhere\n' \
		>/run/systemd/system/slurmd.service.d/test.conf
	systemctl start slurmctld slurmd
	soon idle || { tail $S/log/*; die 'no Slurm'; }
	say "Slurm is up: $(cd /sys/fs/cgroup && echo system.slice/*slurmstepd.scope)"
}

# figure KEY: print a figure of the job itself from /tmp/report
figure()
{
	jq --arg key "job.$1" '.hosts[0].figures[$key]' /tmp/report
}

# between LEAST KEY MOST: figure KEY must be in this range
between()
{
	is=$(figure "$2")
	awk -v least="$1" -v is="$is" -v most="$3" \
		'BEGIN { exit !(is ~ /^[0-9]/ && least <= is + 0 && is + 0 <= most) }' ||
		{ jq .hosts /tmp/report; fail "$2 of the job is $is, not $1 to $3"; }
}

# Make the script of a job of two steps. Between the steps the job stores what the kernel has
# counted for it, and waits.
script()
{
	cat >$S/script <<'JOB'
#!/bin/sh
srun sh -c 'dd if=/dev/zero of=/dev/shm/job bs=1M count=24 2>/dev/null
	i=0; while [ $i -lt 5000 ]; do i=$((i + 1)); done'
group=$(sed -n 's,^0::\(.*/job_[0-9]*\)/.*,/sys/fs/cgroup\1,p' /proc/self/cgroup)
sed -n 's/^usage_usec //p' $group/cpu.stat >/run/slurm/used
mv /run/slurm/used /run/slurm/waits
while [ ! -e /run/slurm/go ]; do
	sleep 0.2
done
rm /dev/shm/job
srun true
JOB
}

# marked MARK FIRST NUMBER: succeed if NUMBER jobs with ids from FIRST on have the mark
marked()
{
	[ "$(marks "$nodes" | awk -v mark="%$1" -v first="$2" '
		$1 == mark && $2 + 0 >= first' | wc -l)" -ge "$3" ]
}

# wait_for MARK FIRST NUMBER: wait until NUMBER jobs with ids from FIRST on have the mark
wait_for()
{
	soon marked "$@" || { marks "$nodes"; tail $S/log/*; die "not $3 times $1 from job $2 on"; }
}

# all_used: print the CPU time of all jobs so far, and of the processes that started them
all_used()
{
	awk '$1 == "usage_usec" { print $2 / 1e6 }' \
		/sys/fs/cgroup/system.slice/*slurmstepd.scope/cpu.stat
}

# two_steps: the last rows of a job of two steps must include what its cgroup had counted between
# the steps, and what the second step used
two_steps()
{
	before=$(all_used)
	id=$(sbatch --parsable -o /dev/null --chdir=/tmp $S/script)
	soon test -e $S/waits || { tail $S/log/*; die 'no step'; }
	say 'the first step is done'
	nodometer mark --timeout 60 middle || fail 'no mark'
	: >$S/go
	wait_for end "$id" 1
	nodometer report "$id" --json >/tmp/report || fail "no report of job $id"
	between "$(awk '{ print $1 / 1e6 }' $S/waits)" cpu \
		"$(all_used | awk -v before="$before" '{ print $1 - before }')"
	between $((24 << 20)) mem_peak $((100 << 20))
	say "two steps: $(figure cpu) s of processors, $(figure mem_peak) bytes at most"
}

# known JOB SOURCE: the job must have one begin and one end, both from SOURCE
known()
{
	whole "$nodes" "$1"
	for mark in begin end; do
		marks "$nodes" | grep -Eq "^%$mark $1 source=$2( |$)" ||
			{ marks "$nodes"; fail "no $mark of job $1 from $2"; }
	done
}

# at_once: submit an array of two tasks and another job; no job ends before all have begun
at_once()
{
	rm $S/go
	waits="while [ ! -e $S/go ]; do sleep 0.5; done"
	array=$(submit --array=1-2 -- "$waits")
	submit -- "$waits" >/dev/null
	wait_for begin "$array" 3
	! marked end "$array" 1 || fail 'a job ended that waits'
	: >$S/go
	wait_for end "$array" 3
	say 'an array of two and another job, at once'
}

# measured: run short jobs that measure themselves. CPU time of slurmstepd also counts for its job;
# the sum over all jobs must be what the kernel counted in the cgroup above them.
measured()
{
	before=$(all_used)
	measure 0
	array=$(submit --array=1-6 -- "$S/work 1 $S/times.\$SLURM_JOB_ID")
	wait_for end "$array" 6
	slack=1000 whole_times
	awk -v all="$(all_used | awk -v before="$before" '{ print $1 - before }')" '
		{ sum += $3 }
		END {
			printf "%d jobs: %.2f s reported, %.2f s counted\n", NR, sum, all
			exit NR != 6 || sum < 0.95 * all || sum > 1.01 * all
		}' $S/compared || fail 'processor time of all jobs'
	say 'jobs that measure themselves'
}

with_hooks()
{
	nodometer install-hooks --apply slurm || fail 'install-hooks'
	scontrol reconfigure
	hooked=$(submit -- sleep 2)
	wait_for end "$hooked" 1
	say 'a job with hooks'
}

say "systemd is up on $(uname -r)"
agent
start
script
two_steps
at_once
measured
with_hooks
soon empty || die 'jobs did not end'
ids=$(awk -F '[= ]' '{ print $2 }' $S/completed)
[ "$(echo "$ids" | wc -l)" = 11 ] || { cat $S/completed; fail 'not eleven jobs'; }
for id in $ids; do
	source=cgroup
	[ "$id" != "$hooked" ] || source=hook
	known "$id" $source
done
drained 'jobs with hooks and without'
nodometer status | grep '^job ' && fail 'a job is left over'
nodometer check /var/lib/nodometer/*/[0-9]* || fail 'nodometer check'
say 'done'
finish
