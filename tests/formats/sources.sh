#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# sources.sh - nodometer cat, check and export read MONITOR recordings and .pm files as records
set -u
: "${srcdir:=.}"
command -v python3 >/dev/null || { echo 'skipped: python3 is not installed'; exit 77; }
out=$(mktemp -d -p .) || exit 99
trap 'rm -rf "$out"' EXIT
status=0
fail() { echo "FAIL: $*"; status=1; }
export PYTHONDONTWRITEBYTECODE=1
vms=$srcdir/tests/formats/vms.py

# has FILE LINE...: nodometer cat --csv FILE must print these lines
has()
{
	file=$1
	shift
	./nodometer-cat --csv "$out/$file" >"$out/csv" 2>"$out/said" ||
		fail "$file: status $? $(cat "$out/said")"
	for line; do
		grep -qxF -- "$line" "$out/csv" ||
			fail "$file: no line $line in $(head -n 20 "$out/csv")"
	done
}

# Recordings of all kinds give the same values; CPUs, disks and processes are devices.
for kind in plain v83 bare open second; do
	python3 "$vms" write $kind "$out/$kind" || exit 99
done
for kind in plain v83 bare open; do
	has $kind '1700000000,VMSA,-,vms_states,-,LEF,7' \
		'1700000060,VMSA,-,vms_modes,1,KERNEL,1200' \
		'1700000060,VMSA,-,vms_disk,sda,OPCNT,600' \
		'1700000060,VMSA,-,vms_processes,100/first,CPUTIM,300' \
		'1700000060,VMSA,-,vms_lock,-,NUMLOCKS,106' \
		'1700000060,VMSA,-,vms_cluster,-,CPU_BUSY,1500'
	records=$(cut -d, -f1 "$out/csv" | sort -u | wc -l)
	[ "$records" -eq 8 ] || fail "$kind: $records times, with the line of names, not 8"
done
! grep -q vms_page "$out/csv" || fail 'a class that is not recorded has rows'
has second '1700000010,VMSB,-,vms_disk,sda,OPCNT,200'
./nodometer-check "$out/v83" >"$out/said" || fail "check: $(cat "$out/said")"

# A truncated recording is read to its last complete record, and the truncation is reported.
size=$(wc -c <"$out/v83")
head -c $((size - 5)) "$out/v83" >"$out/cut"
./nodometer-cat --csv "$out/cut" >"$out/csv" 2>"$out/said"
grep -q 'in the middle of a record' "$out/said" || fail "cut: $(cat "$out/said")"
grep -q '^1700000060,VMSA,-,vms_lock,' "$out/csv" || fail 'cut: the whole classes are not there'
! grep -q '^1700000060,VMSA,-,vms_vbs,' "$out/csv" || fail 'cut: half a class is there'

# Items without a source on this node are missing and not 0, because the customer record names them.
cat >"$out/raw" <<'END'
$hpcperfstats 1.0.2
$hostname n1.example.org
$uptime 1000
!vm pgpgin,E,U=KB pgfault,E
!mem MemFree,U=KB Dirty,U=KB Writeback,U=KB

1700000000 -
vm - 4000 100
mem - 40960 400 800
END
if [ -x nodometer-monitor ]; then
	./nodometer-monitor page --input "$out/raw" --record "$out/page" 2>"$out/said" ||
		fail "no recording: $(cat "$out/said")"
	has page '1700000000,n1.example.org,-,vms_page,-,FAULTS,100' \
		'1700000000,n1.example.org,-,vms_page,-,PREADS,1000'
	! grep -q PWRITIO "$out/csv" || fail 'an item without a source has a value'
fi

# .pm files in each byte order have a truncated entry, a column of length 0, and an unknown column.
cat >"$out/pm.py" <<'END'
import sys
sys.path.insert(0, sys.argv[1])
import pm
for endian, name in enumerate(['little', 'big', 'pdp']):
    columns, size = pm.seed_columns()
    columns = [c if c[0] != 'sb_net_target' else c[:2] + (0,) + c[3:] for c in columns]
    columns += [('other', size, 8, 2, 0, 0)]
    rows = [{'seq_no': i, 'time': (1700000000 + i // 2, 5), 'lport': 80 + i % 2, 'rport': 4711,
             'snd_cwnd': 1000 * i, 'other': 2 ** 40 + i} for i in range(4)]
    data = pm.header(columns, size + 8, endian=endian, mods=1)
    data += b''.join(pm.entry(columns, size + 8, r, endian) for r in rows)
    open(sys.argv[2] + '/' + name, 'wb').write(data + b'cut')
END
python3 "$out/pm.py" "$srcdir/tests/tracers" "$out" || exit 99
for order in little big pdp; do
	has $order '1700000000.000005,,-,pm,80-4711,snd_cwnd,0' \
		'1700000001.000005,,-,pm,81-4711,snd_cwnd,3000' \
		'1700000001.000005,,-,pm,80-4711,other,1099511627778'
	! grep -qE ',(sb_net_target|snd_fack|time|lport),' "$out/csv" ||
		fail "$order: a column that this kernel has not, or that says which one it is"
	grep -q ':5: the file ends in a snapshot' "$out/said" || fail "$order: $(cat "$out/said")"
	records=$(./nodometer-check "$out/$order" 2>&1)
	echo "$records" | grep -q '2 groups' || fail "$order: $records"
done
./nodometer-cat --monotonic --to csv "$out/v83" 2>"$out/said" | grep -q sda ||
	fail "$(cat "$out/said")"
exit $status
