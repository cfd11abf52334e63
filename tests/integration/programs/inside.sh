#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# inside.sh - run the unit test in the guest, with many cgroups and processes
bin=$1
export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C

# shellcheck source=../guest_end.sh
. /share/guest_end.sh
trap 'power_off $?' EXIT

mkdir -p /dev/shm
mount -t tmpfs tmpfs /run
mount -t tmpfs tmpfs /dev/shm
mount -t cgroup2 cgroup2 /sys/fs/cgroup
modprobe nvme
until [ -b /dev/nvme0n1 ]; do
	sleep 0.2
done
mkfs.ext4 -q /dev/nvme0n1
mount /dev/nvme0n1 /var/tmp	# for I/O of block devices
prlimit --nofile=65536 --pid $$
cat /proc/sys/kernel/osrelease
for n in 400 4096; do
	echo "$n groups"
	GROUPS_OF_JOBS=$n PROCESSES=$((n * 1000 / 1024)) timeout 300 \
		"$bin/tests/unit/test_programs" >/share/out 2>&1
	r=$?
	cat /share/out
	[ $r = 0 ] || exit $r
done
exit 0
