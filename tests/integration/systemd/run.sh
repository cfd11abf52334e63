#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# run.sh - in a virtual machine, nodometer's unit under a real systemd on cgroup v2: limits,
# devices, jobs
#
# This test covers what the test "nspawn" cannot if this machine has cgroup v1. The guest boots
# systemd, which runs checks.sh.
packages='qemu-system-x86 kmod cpio xz-utils zstd systemd systemd-sysv dbus'
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../guest.sh"

guest iproute2
installed "$share/install"
cp "$here/checks.sh" "$top/tests/integration/words.sh" "$share" || exit 1
mkdir -p "$share/tests/e2e" "$share/tests/integration/answer" &&
	cp "$top"/tests/e2e/try_calls* "$top"/tests/e2e/lib*.sh "$top/tests/e2e/free_port.sh" \
		"$share/tests/e2e" && cp "$top/tests/integration/answer/archive.pl" \
		"$share/tests/integration/answer" || exit 1
truncate -s 1M "$scratch/disk"
first_process=$top/tests/integration/guest.systemd
boot -smp 2 -m 1536 -drive "if=virtio,format=raw,file=$scratch/disk"
finish
