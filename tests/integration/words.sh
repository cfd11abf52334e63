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

# marks_of JOB: from the marks on standard input, print the verbs of JOB's marks in order: "%begin
# %end "
marks_of() { awk -v id="$1" '$2 == id { print $1 }' | tr '\n' ' '; }

# wait_times N COMMAND...: do the same as wait_until, but wait up to N times as long
wait_times()
{
	times=$1
	shift
	for _ in $(seq "$times"); do
		! wait_until "$@" || return 0
	done
	return 1
}

# wait_until COMMAND...: repeat COMMAND, without its output, until it succeeds, for up to 20 seconds
wait_until()
{
	for _ in $(seq 200); do
		! "$@" >/dev/null 2>&1 || return 0
		sleep 0.1
	done
	return 1
}
