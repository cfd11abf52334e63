# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=sh
# trace_lib.sh - what tests of nodometer trace share: the folder $s, which is traced at the mount $m
#
# A test sources lib.sh and then this file.
trace=$bin/nodometer-trace
[ -x "$trace" ] || skip 'built without libfuse3'
[ "$(id -u)" = 0 ] || skip 'not root: users of their own cannot be played'
[ -w /dev/fuse ] || skip 'there is no /dev/fuse'
mkdir -p "$scratch/shadow" "$scratch/mount" || fail "cannot make $scratch"
m=$scratch/mount s=$scratch/shadow
inside=		# a command that runs the tracer

# traced OPTIONS...: start a tracer and its mount, which stays until "untraced" is called
traced() {
	rm -f "$log"	# remove the log of an earlier run
	$inside "$trace" --shadow "$s" --mount "$m" "$@" 2>"$log" &
	tracer=$!
	lanes=$tracer	# SIGTERM makes the tracer unmount
	wait_until 20 grep -q 'is traced at' "$log" || {
		! grep -q 'cannot be mounted' "$log" || skip 'this system lets nobody mount FUSE'
		fail 'nothing is mounted'
	}
}

# untraced [STATUS]: unmount, and check the exit status of the tracer, by default 0
untraced() {
	umount "$m" || fail 'the mount stays busy'
	wait "$tracer"
	is 'status at the end' $? "${1:-0}"
	lanes=
}

# recorded OPTIONS...: call traced; records are written as JSON to $scratch/records
recorded() {
	: >"$scratch/records"
	traced --json --out "$scratch/records" "$@"
}

# records FILTER: print the records, filtered by jq
records() {
	jq -rc "$1" "$scratch/records"
}
