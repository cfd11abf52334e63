#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# run.sh - under a real systemd on cgroup v2, a real slurmd runs jobs with and without hooks
#
# This test covers what the test "slurm" cannot if this machine has cgroup v1. The guest boots
# systemd, which runs checks.sh.
packages='qemu-system-x86 kmod cpio xz-utils zstd systemd systemd-sysv dbus jq'
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../guest.sh"

guest iproute2 slurmctld slurmd slurm-client slurm-wlm-basic-plugins munge
# Make the links that the packages' scripts would make, because these scripts do not run here.
for daemon in slurmctld slurmd; do
	ln -sf $daemon-wlm "$tools/usr/sbin/$daemon" || exit 1
done
installed "$share/install"
cp "$here/checks.sh" "$top/tests/integration/words.sh" "$top/tests/integration/slurm.sh" \
	"$top/tests/integration/measure.sh" "$share" ||
	exit 1
first_process=$top/tests/integration/guest.systemd
boot -smp 2 -m 1536
finish
