#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# closed_fs.sh - types of file systems whose statistics cannot be read are absent, with the reason
set -u
: "${NODOMETER:=nodometer}"
command -v "$NODOMETER" >/dev/null || { echo "skipped: $NODOMETER was not built"; exit 77; }
root=$(mktemp -d) || exit 99
trap 'rm -rf "$root"' EXIT
mkdir "$root/proc"
failed=0

why() {		# TYPE WANT
	got=$("$NODOMETER" types --all --root "$root" | sed -n "s/^$1  *absent  //p")
	[ "$got" = "$2" ] || { echo "FAIL: $1: \"$got\", not \"$2\""; failed=1; }
}

echo '/dev/sda1 / ext4 rw 0 0' >"$root/proc/mounts"
why beegfs 'no BeeGFS mount'
why gpfs 'no GPFS mount'
printf '%s\n' 'beegfs_nodev /mnt/a\040b beegfs rw 0 0' 'home /gpfs/home gpfs rw 0 0' \
	>>"$root/proc/mounts"
blind='/proc/fs/beegfs does not count operations; use beegfs-ctl'
why beegfs "mounted on /mnt/a\\040b, but $blind"
why gpfs 'mounted on /gpfs/home, but only mmpmon can read its statistics'
"$NODOMETER" collect --stdout --root "$root" | grep -E '^!?(beegfs|gpfs)( |$)' &&
	{ echo "FAIL: a record of them"; failed=1; }
exit $failed
