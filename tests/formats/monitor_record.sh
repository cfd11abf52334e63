#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# monitor_record.sh - nodometer monitor records other intervals, parts of recordings, and several
# recordings in one
#
# M and a number name a line of the checklist of MONITOR recordings (tests/gates/seeds.sh). Each
# line needs a test.
. "$(dirname "$0")/monitor_lib.sh"
written plain v83 second moved taken

# M23 M92: --interval selects intervals; M3: --begin and --end select a part; M26 M27: the comment
# is copied to the new recording.
monitor disk --input "$out/plain" --interval 15 --record "$out/no" >"$out/got" && fail 'interval 15'
says '--interval 15' '20 is the next'
monitor disk,modes --input "$out/plain" --interval 20 --record "$out/twenty" || fail 're-record'
python3 "$vms" read "$out/twenty" >"$out/got" || fail 're-recorded file'
grep -q '^header 20 1700000000.0 1700000060.0 made by struct | 2 12$' "$out/got" ||
	fail "re-recorded: $(head -1 "$out/got")"
[ "$(grep -c '^disk .* sda ' "$out/got")" = 4 ] || fail 'not every second interval'
monitor disk --input "$out/plain" --begin 1700000020 --end 1700000040 --record "$out/part"
python3 "$vms" read "$out/part" >"$out/got"
[ "$(grep -c '^disk .* sda ' "$out/got")" = 3 ] || fail '--begin --end'
monitor disk --input "$out/plain" --end +20 --record "$out/part" --no-customer --comment other
python3 "$vms" read "$out/part" >"$out/got"
[ "$(grep -c '^disk .* sda ' "$out/got")" = 3 ] || fail '--end +20'
grep -q ' other | 12$' "$out/got" || fail '--comment'
! grep -q customer "$out/got" || fail '--no-customer'

# M3: a recording of a recording shows the same values.
monitor disk,modes,cluster,pool,vbs --input "$out/plain" --interval 20 --record "$out/twenty" ||
	fail 'foreign classes are not recorded'
python3 "$vms" read "$out/twenty" >"$out/got" || fail 'the foreign classes are wrong'
for kind in plain twenty; do
	monitor disk,modes,cluster,vbs --input "$out/$kind" --summary >"$out/$kind.sum"
done
diff "$out/plain.sum" "$out/twenty.sum" || fail 'recorded again, the averages differ'

# M89: a page of several files has a column for each file, or with --by-node for each node.
monitor disk,modes,processes --input "$out/plain,$out/second" --summary >"$out/got"
has several 'AVERAGE plain second AVERAGE MINIMUM MAXIMUM' 'sda 10.00 20.00 15.00 10.00 20.00' \
	'Kernel Mode 20.00 40.00 30.00 20.00 40.00'
! grep -q Processes "$out/got" || fail 'processes are compared'
monitor disk --input "$out/plain,$out/v83,$out/second" --summary --by-node >"$out/got"
has by-node 'sda 10.00 20.00 15.00 10.00 20.00'

# M10 M42 M48: several files are merged into one recording, with an index for each node. One file
# ends before the other.
monitor disk,modes --input "$out/part,$out/second" --record "$out/merged" || fail 'not merged'
python3 "$vms" read "$out/merged" >"$out/got" || fail 'the merged file cannot be read'
[ "$(grep -E '^(node|gone|disk .* sda )' "$out/got" | cut -d ' ' -f 1,2 | tr '\n' ' ')" = \
	"node 0 disk 1700000000.0 node 1 disk 1700000000.0 disk 1700000010.0 disk 1700000010.0 \
disk 1700000020.0 gone 0 disk 1700000020.0 disk 1700000030.0 disk 1700000040.0 \
disk 1700000050.0 disk 1700000060.0 " ] || fail "merged: $(grep -v ^cpu "$out/got")"
monitor disk --input "$out/merged" --node VMSB --summary >"$out/got"
has merged 'sda - 20.00 20.00 20.00'
monitor disk --input "$out/twenty,$out/second" --record "$out/no" && fail 'two intervals'
says 'the message' 'was recorded every 10 s, others every 20 s'
monitor disk --input "$out/second,$out/twenty" --record "$out/no" && fail 'two intervals, swapped'
says 'the message' 'was recorded every 20 s, others every 10 s'

# Two nodes without a class in common stay two nodes, also at the same time.
monitor modes --input "$out/plain" --record "$out/modes" || fail 'MODES is not recorded'
monitor disk --input "$out/second" --record "$out/disk" || fail 'DISK is not recorded'
monitor disk,modes --input "$out/modes,$out/disk" --record "$out/crossed" || fail 'not crossed'
monitor disk,modes --input "$out/crossed" --node VMSB --summary >"$out/got" || fail 'no node VMSB'
has crossed 'sda - 20.00 20.00 20.00'
monitor disk,modes --input "$out/crossed" --node VMSA --summary >"$out/got" || fail 'no node VMSA'
has crossed 'Kernel Mode - 20.00 20.00 20.00'
! grep -q '^sda' "$out/got" || fail "crossed: VMSA has VMSB's disk"

# M42 M48: in a recording, two nodes may use the same index one after the other. Each node has its
# own page; a node that returns still has only one page.
averages='/^node/ { node = $2 } /^Kernel Mode/ { printf "%s %s ", node, $4 }'
for kind in moved taken; do
	monitor modes --input "$out/$kind" --record "$out/again" || fail "$kind is not recorded"
	for file in $kind again; do
		monitor modes --input "$out/$file" --summary >"$out/got"
		[ "$(awk "$averages" "$out/got" | sed 's/^ALPHA 20.00 //')" = \
			'BETA 40.00 GAMMA 60.00 ' ] || fail "$kind $file: $(cat "$out/got")"
	done
done
monitor modes --input "$out/moved,$out/second" --summary >"$out/got"
has 'nodes in turn' ' ALPHA BETA GAMMA VMSB ROW ROW ROW' \
	'Kernel Mode 20.00 40.00 60.00 40.00 40.00 20.00 60.00'
monitor modes --input "$out/moved" --node GAMMA --summary >"$out/got"
has 'one of them' 'Kernel Mode - 60.00 60.00 60.00'
monitor modes --input "$out/moved" --interval 20 --summary >"$out/got"
[ "$(awk "$averages" "$out/got")" = 'ALPHA 20.00 BETA 40.00 GAMMA 60.00 ' ] ||
	fail "every second moment of nodes in turn: $(cat "$out/got")"

monitor modes --input "$out/moved,$out/second" --record "$out/no" &&
	fail 'nodes of a file are merged'
says 'the message' 'moved: has several nodes'
monitor modes --input "$out/taken,$out/second" --record "$out/again" || fail 'taken is not merged'
monitor modes --input "$out/again" --summary >"$out/got"
[ "$(awk "$averages" "$out/got")" = 'BETA 40.00 GAMMA 60.00 VMSB 40.00 ' ] ||
	fail "merged nodes in turn: $(cat "$out/got")"
exit $status
