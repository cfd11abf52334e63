# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=sh
# top_lib.sh - the simulated node for tests of nodometer top: two CPUs, 4 GB and a Slurm job
job_cgroups=yes
. "$(dirname "$0")/lib.sh"
[ -x "$bin/nodometer-top" ] || skip "nodometer-top was not built"

root=$scratch/root
scope=$root/sys/fs/cgroup/system.slice/slurmstepd.scope
mkdir -p "$root/proc" "$root/sys/devices/system/node/node0" "$scope/job_41"
printf 'cpu  6 0 2 4\ncpu0 3 0 1 2 0 0 0\ncpu1 3 0 1 2 0 0 0\n' >"$root/proc/stat"
printf 'Node 0 %s kB\n' 'MemTotal: 4000000' 'MemFree: 1000000' 'FilePages: 500000' \
	>"$root/sys/devices/system/node/node0/meminfo"
echo usage_usec 5000000 >"$scope/job_41/cpu.stat"
echo 2000000000 >"$scope/job_41/memory.current"
