#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# below.sh - an interface joins a bond during a job: a new header follows in the same file, and sums
# count each byte once
. "$(dirname "$0")/lib.sh"

root=$scratch/root
net=$root/sys/class/net
mkdir -p "$root/proc"
echo 'cpu0 1 0 100 100000 0 0 0' >"$root/proc/stat"
echo 100.00 100.00 >"$root/proc/uptime"

# interface NAME MIB [FILE...]: set the MiB that interface NAME has received since boot, and make
# each FILE in its folder
interface() {
	mkdir -p "$net/$1/statistics"
	echo 0x1003 >"$net/$1/flags"
	for key in rx_bytes tx_bytes rx_packets tx_packets; do
		echo $(($2 * 1048576)) >"$net/$1/statistics/$key"
	done
	name=$1
	shift 2
	for file; do
		: >"$net/$name/$file"
	done
}

# moment N: set the counters to their values at moment N. bond0 has the sum of its slaves; eth2
# joins bond0 before moment 3.
moment() {
	interface eth0 $((10 * $1)) device
	interface eth1 $((20 * $1)) device
	interface eth2 $((5 * $1)) device
	interface bond0 $((30 * $1)) lower_eth0 lower_eth1
	[ "$1" -lt 3 ] || interface bond0 $((35 * $1)) lower_eth2
}

headers() {
	echo "$(raw_text | grep -c '^\$hpcperfstats') in $(raw_files | wc -l)"
}

# record COMMAND...: run COMMAND, which records without an agent and so searches for devices each
# time
record() {
	expect 0 nodometer "$@" --root "$root"
}

moment 1
record begin 7
record collect
is 'headers of what stays' "$(headers)" '1 in 1'
moment 2
record collect
is 'headers of counters that count' "$(headers)" '1 in 1'
moment 3
record collect
is 'headers after eth2 joined' "$(headers)" '2 in 1'
is 'what they say' "$(raw_text | sed -n 's/^\$below //p' | tr '\n' ';')" \
	'net bond0 eth0 eth1;net bond0 eth0 eth1 eth2;'
expect 0 nodometer collect --root "$root" cpu
is 'headers of who has nothing to say of interfaces' "$(headers)" '2 in 1'
moment 5
record end 7
is 'headers at the end' "$(headers)" '2 in 1'
whole_archive
"$bin/nodometer-report" 7 --dir "$archive" >"$scratch/page" || fail "no report"
grep -q 'received  *140.0 MiB' "$scratch/page" || fail "not 4 x 35 MiB: $(cat "$scratch/page")"
! grep 'left out' "$scratch/page" || fail "it is said, and was inferred"

# An agent appends to the same file, and its job summary counts each byte once, too.
start_agent --root "$root"
record_count=$(headers)
expect 0 nodometer begin 8
moment 6
expect 0 nodometer end --summary 8 >"$scratch/line"
is 'headers, with an agent' "$(headers)" "$record_count"
grep -q '"complete":true.*"net_rx":3.67e+07,"net_tx":3.67e+07' "$scratch/line" ||
	fail "not 35 MiB: $(cat "$scratch/line")"
stop_agent
whole_archive
