#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# live-perf.sh - nodometer opens and reads real counters, within the limit of file descriptors
#
# The test uses the kernel's software counters, which exist on every machine, if perf_event_open(2)
# is permitted.
# shellcheck disable=SC3045 # every sh of Linux has ulimit -S and -H
set -u
: "${NODOMETER:=nodometer}"
command -v "$NODOMETER" >/dev/null || { echo "skipped: $NODOMETER was not built"; exit 77; }
out=$(mktemp -d) || exit 99
trap 'rm -rf "$out"' EXIT
printf '[types]\nperf_sw = on\n' >"$out/conf"

state() {	# the line of perf_sw
	"$NODOMETER" types --all --config "$out/conf" | grep '^perf_sw '
}

case $(state) in
*active*) ;;
*) echo "skipped: $(state)"; exit 77 ;;
esac

failed=0
fail() { echo "FAIL: $*"; failed=1; }

"$NODOMETER" collect --stdout --config "$out/conf" perf_sw >"$out/raw" || exit 1
cpus=$(grep -c '^perf_sw ' "$out/raw")
[ "$cpus" = "$(getconf _NPROCESSORS_ONLN)" ] || fail "rows of $cpus CPUs"
[ "$(state | awk '{ print $3 }')" = "$cpus" ] || fail "interrupts: $(state)"
awk '$1 == "perf_sw" && !($3 > 0 && $4 > 0) { bad = 1 } END { exit bad }' "$out/raw" ||
	fail "a clock that stands"
[ ! -e /sys/bus/event_source/devices/msr/events/tsc ] ||
	awk '/^!perf_sw / { for (i = 2; i <= NF; i++) if ($i ~ /^tsc,E/) tsc = i + 1 }
		$1 == "perf_sw" { n++; if (!tsc || !($tsc > 0)) bad = 1 }
		END { exit bad || !n }' "$out/raw" || fail "no time stamp counter"

# nodometer raises a soft limit that is too low; if the hard limit is too low, the reason for
# absence names it. 64 descriptors are left for the agent.
(ulimit -Sn 66 && state | grep -q ' active ') || fail "the soft limit was not raised"
few=$(ulimit -Sn 66 && ulimit -Hn 66 && state 2>&1)
case $few in
*' more file descriptors than allowed'*) ;;
*) fail "the hard limit is no reason: $few" ;;
esac
[ $failed -eq 0 ] && echo "$cpus CPUs"
exit $failed
