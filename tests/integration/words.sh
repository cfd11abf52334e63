# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=sh
# words.sh - messages and waits of integration tests, also inside a container or a guest
began=$(date +%s)
failures=0

say() { printf '%3d s: %s\n' $(($(date +%s) - began)) "$*"; }
skip() { echo "skipped: $*"; exit 77; }
fail() { echo "FAIL: $*"; failures=$((failures + 1)); }
die() { fail "$*"; exit 1; }
finish() { exit $((failures > 0)); }

# marks_of JOB: print the job's marks among those on standard input, in order: "%begin %end "
marks_of() { awk -v id="$1" '$2 == id { print $1 }' | tr '\n' ' '; }

# wait_times N COMMAND...: wait up to N times as long as wait_until, for a busy machine
wait_times()
{
	times=$1
	shift
	for _ in $(seq "$times"); do
		! wait_until "$@" || return 0
	done
	return 1
}

# wait_until COMMAND...: repeat the command until it succeeds, for up to 20 seconds, silently
wait_until()
{
	for _ in $(seq 200); do
		! "$@" >/dev/null 2>&1 || return 0
		sleep 0.1
	done
	return 1
}
