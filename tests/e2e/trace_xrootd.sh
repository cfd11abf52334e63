#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# trace_xrootd.sh - nodometer trace sends transfers of its mount to nodometer xrootd, with the bytes
# of each file
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/trace_lib.sh"
command -v jq >/dev/null || skip 'jq is not installed'
has xrootd || skip 'built without xrootd'
port=$(free_port)

"$bin/nodometer-xrootd" -p "$port" --bind 127.0.0.1 --transfers -o "$scratch/transfers" \
	2>"$scratch/said" &
receiver=$!
pids="$pids $receiver"
wait_until 10 grep -q "$(printf ':%04X 00000000:0000' "$port")" /proc/net/udp

dd if=/dev/urandom of="$s/in" bs=1000 count=700 2>/dev/null
: >"$s/empty"
traced --xrootd 127.0.0.1:"$port" >"$scratch/records"

cat "$m/in" >"$scratch/copy"
cmp -s "$s/in" "$scratch/copy" || fail 'it reads something else'
dd if="$scratch/copy" of="$m/out" bs=1000 2>/dev/null
cat "$m/empty"
cp "$m/in" "$m/both"	# by copy_file_range(2), or by reads and writes
cat "$m/nothing" 2>/dev/null
untraced
grep -q ' 0 not sent' "$log" || fail 'datagrams were not sent'
[ ! -s "$scratch/records" ] || fail 'records, though none were asked for'

reported() { [ "$(wc -l <"$scratch/transfers" 2>/dev/null)" = 5 ]; }
wait_until 20 reported
end_program 10 "$receiver" "the receiver"

# transfer FILE: print, for the transfer of FILE: bytes read and written, user and protocol; whether
# there were reads and writes; whether the transfer is complete, and what is missing
transfer() {
	jq -r --arg f "$s/$1" 'select(.filename == $f) | "\(.read) \(.write) \(.user) \(.protocol)",
		"\(.read_operations > 0) \(.write_operations > 0) \(.complete) \(.missing)"' \
		"$scratch/transfers"
}
jq -c . "$scratch/transfers" >>"$log"
is 'what was read' "$(jq -r --arg f "$s/in" 'select(.filename == $f) | .read' \
	"$scratch/transfers" | tr '\n' ' ')" '700000 700000 '
is 'what was written' "$(transfer out)" "0 700000 root file
false true true []"
is 'what was copied' "$(transfer both | sed -n '1s/^[0-9]* \([0-9]*\) .*/\1/p')" 700000
is 'an empty file' "$(transfer empty)" '0 0 root file
false false true []'
# Programs are reported without their paths (field xeqname of XRootD's detailed monitoring format).
is 'programs' "$(jq -r 'select(.filename | endswith("/in")) | .program' "$scratch/transfers" |
	sort -u | tr '\n' ' ')" "$(basename "$(readlink -f "$(command -v cat)")") \
$(basename "$(readlink -f "$(command -v cp)")") "
is 'who sends' "$(jq -r '.server_instance' "$scratch/transfers" | sort -u)" trace

# An invalid destination is reported before anything is mounted.
"$trace" --shadow "$s" --mount "$m" --xrootd nowhere 2>"$scratch/said"
is 'status' $? 1
grep -q -- '--xrootd nowhere: not HOST:PORT' "$scratch/said" || fail 'it does not say what is wrong'
