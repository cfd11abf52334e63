#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# monitor.sh - nodometer monitor shows recordings of other programs, with each qualifier
#
# M and a number name a line of the checklist of MONITOR recordings (tests/gates/seeds.sh). Each
# line needs a test.
. "$(dirname "$0")/monitor_lib.sh"
written plain v83 bare open odd

# M5 M7 M12 M13 M32 M50 M97: recordings of all four kinds show the same values.
for kind in plain v83 bare open; do
	monitor modes,disk,decnet,states,lock,cluster,pool,vbs,vector --input "$out/$kind" \
		--summary >"$out/got" || fail "$kind: status $?"
	has $kind 'Kernel Mode - 20.00 20.00 20.00' 'Idle Time - 80.00 80.00 80.00' \
		'sda - 10.00 10.00 10.00' 'Arriving Local Packet Rate - 10.00 10.00 10.00' \
		'Total Locks - 103.00 100.00 106.00' \
		'CPU Busy - 25.00 25.00 25.00' 'Free List Size - 703.00 700.00 706.00' \
		'CPU 1 - 20.00 20.00 20.00' 'Longword 13 - 13.00 13.00 13.00' \
		'LRPs In Use - 9.00 6.00 12.00' \
		'Bytes Read Rate - 512.00 512.00 512.00' 'Real Slots Available - 9.00 9.00 9.00'
done
monitor modes --input "$out/plain" --summary >"$out/got"
grep -q 'type 13, class reserved (13)' "$out/err" || fail 'a class without layout is not named'

# M79: recordings of OpenVMS name disks by device, node and volume, so two disks with the same label
# have two lines. If an interval has length 0, its counts belong to the next interval.
monitor modes,disk --input "$out/odd" --summary >"$out/got"
has odd 'DKA100 (ALPHA) SYSDISK - 10.00 10.00 10.00' \
	'$1$DKA200 (ALPHA) SYSDISK - 5.00 5.00 5.00' 'Kernel Mode - 20.00 20.00 20.00' \
	'User Mode - 90.00 90.00 90.00'
monitor modes,disk --input "$out/odd" --record "$out/again" || fail 'odd is not recorded'
python3 "$vms" read "$out/again" >"$out/got"
[ "$(sed -n '1s/^header 10 [^ ]* \([^ ]*\) .*/\1/p' "$out/got")" = \
	"$(sed -n 's/^disk \([^ ]*\) .*/\1/p' "$out/got" | tail -1)" ] ||
	fail "ENDING is not the last stamp: $(head -1 "$out/got")"

# M96: modes add up to 100 for each CPU, STATES to the number of processes, and the queue length is
# the slope of its integral.
monitor modes --input "$out/plain" --summary >"$out/got"
awk 'NF > 4 && $NF == $(NF - 1) && $NF ~ /^[0-9.]+$/ { n += $NF }
	END { exit n != 200 }' "$out/got" ||
	fail 'MODES do not sum up to 100 for each of 2 CPUs'
monitor disk --item queue_length --input "$out/plain" --summary >"$out/got"
has queue_length 'sda - 0.50 0.50 0.50'
monitor disk --item operation_rate,queue_length --input "$out/plain" --all >"$out/got"
has items 'sda 10.00 10.00 10.00 10.00' 'sda 0.50 0.50 0.50 0.50'

# M89 M90 M93: qualifiers select the displayed values. Without a terminal, pages are plain text.
monitor modes --input "$out/plain" >"$out/got"
has bars 'User Mode 90.00 *****************' ' CUR'
for which in current average minimum maximum; do
	monitor disk --input "$out/plain" --$which >"$out/got"
	has $which 'sda 10.00 **************************************'
done
monitor modes --input "$out/plain" --all >"$out/got"
has all 'Interrupt State 10.00 10.00 10.00 10.00'
[ "$(sed -n 3p "$out/got")" = "made by struct" ] ||
	fail "the heading has no comment: $(head -4 "$out/got")"
monitor modes --input "$out/plain" --all --percent >"$out/got"
has percent 'Idle Time 40.00 40.00 40.00 40.00'
monitor modes --input "$out/plain" --all --cpu >"$out/got"
has cpu ' Time in processor modes: CPU 0' ' Time in processor modes: CPU 1' \
	'User Mode 60.00 60.00 60.00 60.00'
monitor --cpu=1 --input "$out/plain" --all modes >"$out/got"
! grep -q 'CPU 0' "$out/got" || fail '--cpu=1 shows CPU 0'
monitor processes --input "$out/plain" --top cpu >"$out/got"
has top '00000064 first 5.00 **'
for top in dio:3.00 bio:4.00 fault:2.00; do
	monitor processes --input "$out/plain" --top ${top%:*} >"$out/got"
	grep -q "00000064 first *${top#*:} \\*" "$out/got" ||
		fail "--top ${top%:*}: $(cat "$out/got")"
done
monitor processes --input "$out/plain" >"$out/got"
has processes '00000064 LEF 20 first 11 22 180 120 00:00:03.00'
cp "$out/got" "$out/processes"
for kind in v83 bare; do
	monitor processes --input "$out/$kind" | diff - "$out/processes" ||
		fail "processes of $kind"
done
[ "$(awk '/^0000006/ { last = before; before = $4 } END { print last, before }' "$out/got")" = \
	'second first' ] || fail "the process of a user is not the first: $(cat "$out/got")"
monitor all_classes --input "$out/plain" --summary >"$out/got"	# M91: all_classes
has all_classes 'Total Resources - 9.00 9.00 9.00'
monitor disk --input "$out/plain" --summary --display --viewing-time 1 >"$out/got"
has display 'sda 10.00 10.00 10.00 10.00' 'sda - 10.00 10.00 10.00'
monitor disk --input "$out/plain" --summary="$out/sum" >"$out/got"
[ ! -s "$out/got" ] || fail '--summary=FILE prints'
grep -q '^sda ' "$out/sum" || fail '--summary=FILE'
monitor disk --input "$out/plain" --node VMSA --summary >"$out/got"
has node 'node VMSA 14-Nov-2023 22:13:20 to 14-Nov-2023 22:14:20'
! monitor disk --input "$out/plain" --node other --summary >"$out/got" || fail '--node other'

# M17 M25: --dump prints fields with the manual's names, and reports a file that was not closed.
monitor --dump --input "$out/plain" >"$out/got" || fail '--dump'
grep -q '^  MNR_HDR$T_IDENT .*"MON30050"$' "$out/got" || fail 'no MNR_HDR$T_IDENT'
grep -q '^  MNR_MOD$L_KERNEL ' "$out/got" || fail 'no MNR_MOD$L_KERNEL'
[ "$(sed -n 's/^  MNR_FIL$T_FILENAME  *[0-9]* *//p' "$out/got" | tr '\n' ' ')" = \
	'"ONE.DAT" "TWO.DAT" ' ] || fail "not all names of record 131: $(grep FIL "$out/got")"
grep -q 'records, as the file header says$' "$out/got" || fail "$(tail -1 "$out/got")"
monitor --dump --input "$out/open" | grep -q 'was not closed$' || fail 'not closed'

# M63: a truncated file is read to its last complete record.
head -c 2500 "$out/plain" >"$out/cut"
monitor modes --input "$out/cut" --summary >"$out/got" || fail 'cut off'
has cut 'Kernel Mode - 20.00 20.00 20.00'
grep -q 'middle of a record' "$out/err" || fail 'a torn file is not named'
exit $status
