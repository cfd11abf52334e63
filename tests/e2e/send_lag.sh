#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# send_lag.sh - the lag of a sink is the age of the oldest record that it has not sent: in the
# middle of a file, in the next file, and 0 if all are sent
. "$(dirname "$0")/send_lib.sh"

sends
mkdir -p "${cursor%/*}"
now=$(date +%s)
file $((now - 7200))
size=$(($(wc -c <"$current")))
group $((now - 5))
group $((now - 2))
# status_at OFFSET: write the sender's cursor with this offset in the first file, and write the
# status to $scratch/said
status_at() {
	printf '%s\n' 'nodometer cursor 1' "file $((now - 7200))" "offset $1" end >"$cursor"
	nodometer status >"$scratch/said" 2>/dev/null
}
lags() {
	sed -n 's/^sink  *xrootd: nothing sent yet, lag \([0-9]*\) s.*/\1/p' "$scratch/said"
}
status_at "$size"
[ "$(lags)" -ge 5 ] && [ "$(lags)" -lt 3600 ] || fail "a sink that is new: $(cat "$scratch/said")"
status_at 9000
is 'the lag of one that has sent all' "$(lags)" 0
file $((now - 1))
status_at 9000
[ "$(lags)" -ge 1 ] && [ "$(lags)" -lt 3600 ] || fail "the next file: $(cat "$scratch/said")"
