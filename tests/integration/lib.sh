# SPDX-License-Identifier: BSD-3-Clause
# lib.sh - what the integration tests share: packages, a scratch folder, processes, how to end
# shellcheck shell=sh
# tests/integration/NAME/run.sh is sourced with this file first.  It runs in a build folder and
# tests the programs there against a real component.  It installs the packages it needs, writes only
# below $scratch, ends only what it started by background(), and leaves nothing behind.  It ends
# with 0, with 1, or with 77 behind a line "skipped: REASON" where it cannot run.
# KEEP=1 in the environment leaves the scratch folder in place.
set -u
LC_ALL=C TZ=UTC PATH=$PATH:/usr/sbin:/sbin DEBIAN_FRONTEND=noninteractive
export LC_ALL TZ PATH DEBIAN_FRONTEND
unset JOURNAL_STREAM NOTIFY_SOCKET

bin=$PWD
here=$(cd "$(dirname "$0")" && pwd)
top=${here%/tests/integration/*}
scratch=$bin/tests/${here##*/}.tmp
began=$(date +%s)
pids=
policy=

say()
{
	printf '%3d s: %s\n' $(($(date +%s) - began)) "$*"
}

fail()
{
	echo "FAIL: $*"
	exit 1
}

skip()
{
	echo "skipped: $*"
	exit 77
}

# background COMMAND...: runs it until it ends or the test does; $! is its process
background()
{
	"$@" &
	pids="$pids $!"
}

# stop PID...: ends what background() started
stop()
{
	for p; do
		kill -TERM "$p" 2>/dev/null
	done
	for p; do
		wait "$p" 2>/dev/null
	done
}

cleanup()
{
	status=$?
	trap - EXIT INT TERM HUP
	# shellcheck disable=SC2086 # a list of numbers
	stop $pids
	[ -z "$policy" ] || rm -f "$policy"
	[ -n "${KEEP:-}" ] || rm -rf "$scratch"
	exit $status
}
trap cleanup EXIT
trap 'exit 1' INT TERM HUP

# need_packages NAME...: installs those of Debian that are missing, and has no service started
need_packages()
{
	command -v apt-get >/dev/null || skip "no apt-get, and packages are known by Debian's names"
	if [ "$(id -u)" = 0 ] && [ ! -e /usr/sbin/policy-rc.d ]; then
		policy=/usr/sbin/policy-rc.d	# invoke-rc.d(8): 101 is "forbidden by policy"
		printf '#!/bin/sh\nexit 101\n' >"$policy" && chmod 755 "$policy" || exit 1
	fi
	"$top/quickstart" --deps-only "$@" || skip "cannot install $*"
	[ -z "$policy" ] || rm -f "$policy"
	policy=
}

[ -x "$bin/nodometer" ] || skip "run it in a folder where nodometer was built"
rm -rf "$scratch"
mkdir -p "$scratch" || exit 1
