#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# events.sh - nodometer events finds events of a processor by part of their name, and prints the
# types that count them
set -u
: "${NODOMETER:=nodometer}"
command -v "$NODOMETER" >/dev/null || { echo "skipped: $NODOMETER was not built"; exit 77; }
out=$(mktemp -d) || exit 99
trap 'rm -rf "$out"' EXIT
failed=0
fail() { echo "FAIL: $*"; failed=1; }
events() { "$NODOMETER" events --root "$out" "$@" 2>"$out/err"; }
has() {	# WORD...: options and pattern of grep
	grep -q -e "$@" "$out/got" || fail "no $* in: $(head -n 5 "$out/got")"
}

umc=$out/sys/bus/event_source/devices/amd_umc_0
mkdir -p "$out/proc" "$umc/events"
printf 'vendor_id\t: AuthenticAMD\ncpu family\t: 25\nmodel\t\t: 17\n' >"$out/proc/cpuinfo"
echo 'event=0x0a,rdwrmask=0x1' >"$umc/events/read"
echo MiB >"$umc/events/read.unit"

events amd_umc >"$out/got" || fail "status $?"
has '^amd_umc_0/read/  event=0x0a,rdwrmask=0x1$'
! grep -q unit "$out/got" || fail 'a unit is no event'
events no-such-event >"$out/got" && fail 'an event without a name'
grep -q 'no event matches "no-such-event"; --all' "$out/err" || fail "$(cat "$out/err")"
events one two >/dev/null && fail 'two patterns'

events --json >"$out/got" || fail "status $?"
! command -v jq >/dev/null || jq -e '.events | length' "$out/got" >"$out/n" || fail 'no JSON'
if events --all zen4::retired_sse >"$out/got"; then	# libpfm4 is built for x86
	has '^amd64_fam19h_zen4::RETIRED_SSE_AVX_FLOPS  '
	has ':ANY.*\[amd64_pmc CTR0\]$'
	events branch_instructions_mispred >"$out/got"
	has '^amd64_fam19h_zen4::.*MISPREDICTED.* \[amd64_pmc CTR3\]$'
	! grep -q '^amd64_fam15h' "$out/got" || fail 'an event of another processor'
else
	echo "without libpfm4 of x86: $(cat "$out/err")"
fi
# pmu_skeleton prints entries for the table of a new processor.
skeleton=./tests/unit/pmu_skeleton
if [ -x $skeleton ] && $skeleton skx INST_RETIRED:ANY_P >"$out/got" 2>"$out/err"; then
	has '{ "INST_RETIRED:ANY_P", 0x4300c0, 0xc0 },$'
	grep -qx 'skx::INST_RETIRED:ANY_P 0xc0 0x0' "$out/err" || fail "$(cat "$out/err")"
fi
exit $failed
