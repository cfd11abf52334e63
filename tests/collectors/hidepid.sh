#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# hidepid.sh - if /proc hides processes of other users, type proc is absent with this reason
set -u
: "${NODOMETER:=nodometer}"
command -v "$NODOMETER" >/dev/null || { echo "skipped: $NODOMETER was not built"; exit 77; }
unshare -m mount -t proc -o hidepid=2 proc /proc 2>/dev/null ||
	{ echo "skipped: /proc cannot be mounted here"; exit 77; }
nobody='setpriv --reuid=65534 --regid=65534 --clear-groups'
$nobody "$NODOMETER" --version >/dev/null 2>&1 ||
	{ echo "skipped: an ordinary user cannot run $NODOMETER"; exit 77; }

# proc_of HIDEPID: print what nodometer, run by an ordinary user with this hidepid, says about type
# proc
proc_of()
{
	unshare -m sh -c "mount -t proc -o hidepid=$1 proc /proc && cd / &&
		exec $nobody '$NODOMETER' types --all --config /dev/null" | grep '^proc '
}

for hidden in 1 2; do
	proc_of $hidden | grep -q 'absent .*hidepid' || { echo "FAIL: hidepid=$hidden"; exit 1; }
done
proc_of 0 | grep -q 'active' || { echo "FAIL: hidepid=0"; exit 1; }
