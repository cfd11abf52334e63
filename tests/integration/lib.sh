# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=sh
# lib.sh - what the integration tests share: packages, a scratch folder, processes that end
#
# A test is tests/integration/NAME/run.sh, run in a build folder. Status 0: passed, 1: failed, 77:
# it cannot run here, and its last line says why. It leaves nothing behind.
set -u
failures=0 started='' pids=''

say() { printf '%s: %s\n' "$(date +%T)" "$*"; }
fail() { echo "FAIL: $*"; failures=$((failures + 1)); }
die() { fail "$*"; exit 1; }
skip() { echo "skipped: $*"; exit 77; }
finish() { [ "$failures" = 0 ] && say 'all as expected'; exit $((failures > 0)); }

# needs PACKAGE...: installs those of Debian's that are missing, or skips
needs()
{
	missing=
	for p; do
		dpkg-query -W -f '${db:Status-Status}' "$p" 2>/dev/null | grep -qx installed ||
			missing="$missing $p"
	done
	[ -n "$missing" ] || return 0
	if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
		skip "not installed:$missing"
	fi
	# shellcheck disable=SC2086 # a list of words
	DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=600 install -qq -y \
		--no-install-recommends $missing >/dev/null 2>&1 || skip "cannot install:$missing"
}

# start COMMAND...: in the background; its pid is $started, its output in $scratch/NAME.log
start()
{
	"$@" >"$scratch/$(basename "$1").log" 2>&1 </dev/null &
	started=$!
	pids="$pids $started"
}

# stop PID: ends a child that start began
stop()
{
	kill "$1" 2>/dev/null
	wait "$1" 2>/dev/null
}

# wait_until COMMAND...: up to 20 seconds until it succeeds, silently
wait_until()
{
	for _ in $(seq 200); do
		! "$@" >/dev/null 2>&1 || return 0
		sleep 0.1
	done
	return 1
}

# copy_libraries ROOT PROGRAM...: the shared libraries that the programs need, to where they are
copy_libraries()
{
	to=$1
	shift
	ldd "$@" | grep -o '/[^ :]*\.so[^ :]*' | sort -u | while read -r file; do
		mkdir -p "$to/$(dirname "$file")"
		[ -e "$to$file" ] || cp "$file" "$to$file"
	done
}

# overlay ROOT: there, this system's own files, of which every change is dropped in the end
overlay()
{
	mkdir -p "$scratch/overlay" "$1"
	mount -t tmpfs tmpfs "$scratch/overlay"
	mkdir "$scratch/overlay/upper" "$scratch/overlay/work"
	mount -t overlay -o "lowerdir=/,upperdir=$scratch/overlay/upper,workdir=$scratch/overlay/work" \
		overlay "$1" || skip 'no overlay file system'
	mount -t proc proc "$1/proc"
	mount --rbind /sys "$1/sys"
	mount --rbind /dev "$1/dev"
	mount -t tmpfs tmpfs "$1/run"
	mount -t tmpfs tmpfs "$1/tmp"
}

clean_up()
{
	for p in $pids; do
		stop "$p"
	done
	awk -v below="$scratch/" 'index($2, below) == 1 { print $2 }' /proc/self/mounts | sort -r |
		while read -r at; do umount -l "$at"; done
	rm -rf "$scratch"
}

scratch=$(mktemp -d) || exit 1
trap clean_up EXIT
trap 'exit 1' INT TERM HUP
