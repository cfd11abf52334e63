# SPDX-License-Identifier: BSD-3-Clause
# trace_lib.sh - what the tests of nodometer trace share: a folder that is traced at a mount
# shellcheck shell=sh
# A test is sourced with lib.sh and then with this file.
trace=$bin/nodometer-trace
[ -x "$trace" ] || skip 'built without libfuse3'
[ "$(id -u)" = 0 ] || skip 'not root: users of their own cannot be played'
[ -w /dev/fuse ] || skip 'there is no /dev/fuse'
mkdir -p "$scratch/shadow" "$scratch/mount" || fail "cannot make $scratch"
m=$scratch/mount s=$scratch/shadow
inside=		# a command that the tracer is run by

# traced OPTIONS...: mount, until "untraced" is called
traced() {
	rm -f "$log"	# the last one is not this one's
	$inside "$trace" --shadow "$s" --mount "$m" "$@" 2>"$log" &
	tracer=$!
	lanes=$tracer	# ended by SIGTERM, it unmounts
	wait_until 20 grep -q 'is traced at' "$log" || {
		! grep -q 'cannot be mounted' "$log" || skip 'this system lets nobody mount FUSE'
		fail 'nothing is mounted'
	}
}

# untraced [STATUS]: unmount, and check the exit status
untraced() {
	umount "$m" || fail 'the mount stays busy'
	wait "$tracer"
	is 'status at the end' $? "${1:-0}"
	lanes=
}
