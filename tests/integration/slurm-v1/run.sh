#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# run.sh - with a real Slurm on cgroup v1, reports agree with short jobs that measure their own CPU
# time
#
# With the default interval, these jobs are too short for a sample. What a job used is known from
# readings between samples, and from the counters of the cgroup above the jobs' cgroups. Everything
# runs on a throw-away copy of this system.
namespaces='-m -n -p --fork --kill-child'
. "$(dirname "$0")/../lib.sh"
need_packages slurmctld slurmd slurm-client slurm-wlm-basic-plugins munge iproute2 jq
controllers='cpuacct memory freezer cpuset blkio pids'
[ -e /sys/fs/cgroup/cpuacct/cpuacct.usage ] || skip 'no cpuacct of cgroup v1 is mounted'

# groups: print the cgroups that slurmd made: "slurm_n1", and those below
groups()
{
	for c in $controllers; do
		find "/sys/fs/cgroup/$c" -depth -type d -path '*/slurm*' 2>/dev/null
	done
}

# remove_groups: remove the cgroups; fails while a process in one of them is still ending
remove_groups()
{
	groups | xargs -r rmdir
}
[ -z "$(groups)" ] || skip "a Slurm has control groups: $(groups | head -n 1)"

a_copy "$here/inside.sh" "$top/tests/integration/slurm.sh" "$top/tests/integration/measure.sh"
# When the first process of the pid namespace ends, all others are killed, so that the cgroups
# become empty.
unshare -p --fork --kill-child /bin/sh -c "mount -t proc proc '$root/proc' &&
	exec chroot '$root' /bin/bash /tmp/inside.sh" || fail 'see above'
wait_until remove_groups || fail 'control groups are left'
finish
