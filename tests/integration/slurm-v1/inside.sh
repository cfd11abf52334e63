#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# inside.sh - in run.sh's copy of this system, test slurmd, an agent, and jobs that measure
# themselves
set -u
# shellcheck disable=SC2034 # for slurm.sh
nodes=n1
cpus=$(nproc)
S=/tmp/slurm
export SLURM_CONF=$S/slurm.conf
cd /tmp || exit 1
# shellcheck source=../words.sh
. "${words:-/tmp/words.sh}"
# shellcheck source=../slurm.sh
. "${slurm:-/tmp/slurm.sh}"
# shellcheck source=../measure.sh
. "${measure:-/tmp/measure.sh}"
mkdir -p $S /etc/nodometer

# Start the agent with the configuration n1.conf, which the hooks of node n1 look for.
cat >/etc/nodometer/n1.conf <<'CONF'
[agent]
hostname    = n1
runtime-dir = /run/nodometer-n1
job-file    =
interval    = 10min
CONF
agent n1

munge_up
printf '%s\n' CgroupPlugin=cgroup/v1 CgroupMountpoint=/sys/fs/cgroup CgroupAutomount=no \
	ConstrainCores=yes ConstrainRAMSpace=yes >$S/cgroup.conf
start "ProctrackType=proctrack/cgroup
TaskPlugin=task/cgroup
JobAcctGatherType=jobacct_gather/cgroup
SelectTypeParameters=CR_CPU_Memory
DefMemPerCPU=300
PrologFlags=Alloc
Prolog=$hooks/prolog
Epilog=$hooks/epilog"
say "Slurm has an idle node of $cpus processors"

measure 20
settle 150
whole_times
say 'done'
drained 'short jobs'
stop_agent n1
stop
kill "$(cat $S/munge/pid)"
finish
