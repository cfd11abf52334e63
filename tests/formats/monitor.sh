#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# monitor.sh - nodometer monitor: each qualifier, on recordings and raw files that others made
# M and a number name the line of the checklist that a case holds.
set -u
: "${NODOMETER:=nodometer}" "${srcdir:=.}"
command -v "$NODOMETER" >/dev/null || { echo "skipped: $NODOMETER was not built"; exit 77; }
command -v python3 >/dev/null || { echo 'skipped: python3 is not installed'; exit 77; }
vms=$srcdir/tests/formats/vms.py
out=$(mktemp -d -p .) || exit 99
trap 'rm -rf "$out"' EXIT
status=0
fail() { echo "FAIL: $*"; status=1; }
monitor() { "$NODOMETER" monitor "$@" 2>"$out/err"; }

# has WHAT LINE...: the last output has these lines, blanks made one
has() {
	what=$1
	shift
	for line; do
		tr -s ' ' <"$out/got" | sed 's/ $//' | grep -qxF -- "$line" ||
			{ fail "$what: no line \"$line\" in:"; head -30 "$out/got" "$out/err"; }
	done
}

# refuses WHAT ARGUMENTS: wrong usage, and the message has WHAT
refuses() {
	what=$1
	shift
	monitor "$@" >"$out/got"
	[ $? -eq 2 ] || fail "monitor $*: status is not 2"
	grep -qF -- "$what" "$out/err" ||
		fail "monitor $*: does not say \"$what\": $(cat "$out/err")"
}

for kind in plain v83 bare open second odd moved taken; do
	python3 "$vms" write $kind "$out/$kind" || exit 99
done

# M5 M7 M12 M13 M32 M50 M97: each kind of file says the same.
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

# M79: disks of others have device, node and volume, so that two with one label are two lines.
# Z3: the counts of an interval of length 0 are those of the next one, too.
monitor modes,disk --input "$out/odd" --summary >"$out/got"
has odd 'DKA100 (ALPHA) SYSDISK - 10.00 10.00 10.00' \
	'$1$DKA200 (ALPHA) SYSDISK - 5.00 5.00 5.00' 'Kernel Mode - 20.00 20.00 20.00' \
	'User Mode - 90.00 90.00 90.00'
monitor modes,disk --input "$out/odd" --record "$out/again" || fail 'odd is not recorded'
python3 "$vms" read "$out/again" >"$out/got"
[ "$(sed -n '1s/^header 10 [^ ]* \([^ ]*\) .*/\1/p' "$out/got")" = \
	"$(sed -n 's/^disk \([^ ]*\) .*/\1/p' "$out/got" | tail -1)" ] ||
	fail "ENDING is not the last stamp: $(head -1 "$out/got")"

# M96: modes sum to 100 for each CPU, STATES to the processes, the queue is its integral's slope.
monitor modes --input "$out/plain" --summary >"$out/got"
awk 'NF > 4 && $NF == $(NF - 1) && $NF ~ /^[0-9.]+$/ { n += $NF }
	END { exit n != 200 }' "$out/got" ||
	fail 'MODES do not sum up to 100 for each of 2 CPUs'
monitor disk --item queue_length --input "$out/plain" --summary >"$out/got"
has queue_length 'sda - 0.50 0.50 0.50'
monitor disk --item operation_rate,queue_length --input "$out/plain" --all >"$out/got"
has items 'sda 10.00 10.00 10.00 10.00' 'sda 0.50 0.50 0.50 0.50'

# M89 M90 M93: qualifiers of the display; without a terminal pages are text.
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
monitor all_classes --input "$out/plain" --summary >"$out/got"	# M91
has all_classes 'Total Resources - 9.00 9.00 9.00'
monitor disk --input "$out/plain" --summary --display --viewing-time 1 >"$out/got"
has display 'sda 10.00 10.00 10.00 10.00' 'sda - 10.00 10.00 10.00'
monitor disk --input "$out/plain" --summary="$out/sum" >"$out/got"
[ ! -s "$out/got" ] || fail '--summary=FILE prints'
grep -q '^sda ' "$out/sum" || fail '--summary=FILE'
monitor disk --input "$out/plain" --node VMSA --summary >"$out/got"
has node 'node VMSA 14-Nov-2023 22:13:20 to 14-Nov-2023 22:14:20'
! monitor disk --input "$out/plain" --node other --summary >"$out/got" || fail '--node other'

# M23 M92: intervals; M3: a part of the time; M26 M27: the comment goes on.
monitor disk --input "$out/plain" --interval 15 --record "$out/no" >"$out/got" && fail 'interval 15'
grep -q '20 is the next' "$out/err" || fail "--interval 15: $(cat "$out/err")"
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

# What is recorded again says the same (M3).
monitor disk,modes,cluster,pool,vbs --input "$out/plain" --interval 20 --record "$out/twenty" ||
	fail 'foreign classes are not recorded'
python3 "$vms" read "$out/twenty" >"$out/got" || fail 'the foreign classes are wrong'
for kind in plain twenty; do
	monitor disk,modes,cluster,vbs --input "$out/$kind" --summary >"$out/$kind.sum"
done
diff "$out/plain.sum" "$out/twenty.sum" || fail 'recorded again, the averages differ'

# Several files: a column for each, or per node (M89).
monitor disk,modes,processes --input "$out/plain,$out/second" --summary >"$out/got"
has several 'AVERAGE plain second AVERAGE MINIMUM MAXIMUM' 'sda 10.00 20.00 15.00 10.00 20.00' \
	'Kernel Mode 20.00 40.00 30.00 20.00 40.00'
! grep -q Processes "$out/got" || fail 'processes are compared'
monitor disk --input "$out/plain,$out/v83,$out/second" --summary --by-node >"$out/got"
has by-node 'sda 10.00 20.00 15.00 10.00 20.00'

# M10 M42 M48: several files into one recording, a node for each; one ends before the other.
monitor disk,modes --input "$out/part,$out/second" --record "$out/merged" || fail 'not merged'
python3 "$vms" read "$out/merged" >"$out/got" || fail 'the merged file cannot be read'
[ "$(grep -E '^(node|gone|disk .* sda )' "$out/got" | cut -d ' ' -f 1,2 | tr '\n' ' ')" = \
	"node 0 disk 1700000000.0 node 1 disk 1700000000.0 disk 1700000010.0 disk 1700000010.0 \
disk 1700000020.0 gone 0 disk 1700000020.0 disk 1700000030.0 disk 1700000040.0 \
disk 1700000050.0 disk 1700000060.0 " ] || fail "merged: $(grep -v ^cpu "$out/got")"
monitor disk --input "$out/merged" --node VMSB --summary >"$out/got"
has merged 'sda - 20.00 20.00 20.00'
monitor disk --input "$out/twenty,$out/second" --record "$out/no" && fail 'two intervals'
grep -q 'was recorded every 10 s, others every 20 s' "$out/err" || fail "$(cat "$out/err")"

# M42 M48: an index may have one node after another. Each node has a page of its own, and a node
# that returns has one page.
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
grep -q 'moved: has several nodes' "$out/err" || fail "$(cat "$out/err")"
monitor modes --input "$out/taken,$out/second" --record "$out/again" || fail 'taken is not merged'
monitor modes --input "$out/again" --summary >"$out/got"
[ "$(awk "$averages" "$out/got")" = 'BETA 40.00 GAMMA 60.00 VMSB 40.00 ' ] ||
	fail "merged nodes in turn: $(cat "$out/got")"

# M17 M25: a dump has the manual's names; a file that is not closed says so.
monitor --dump --input "$out/plain" >"$out/got" || fail '--dump'
grep -q '^  MNR_HDR$T_IDENT .*"MON30050"$' "$out/got" || fail 'no MNR_HDR$T_IDENT'
grep -q '^  MNR_MOD$L_KERNEL ' "$out/got" || fail 'no MNR_MOD$L_KERNEL'
[ "$(sed -n 's/^  MNR_FIL$T_FILENAME  *[0-9]* *//p' "$out/got" | tr '\n' ' ')" = \
	'"ONE.DAT" "TWO.DAT" ' ] || fail "not all names of record 131: $(grep FIL "$out/got")"
grep -q 'records, as the file header says$' "$out/got" || fail "$(tail -1 "$out/got")"
monitor --dump --input "$out/open" | grep -q 'was not closed$' || fail 'not closed'

# M63: what is cut off is read to its last whole record.
head -c 2500 "$out/plain" >"$out/cut"
monitor modes --input "$out/cut" --summary >"$out/got" || fail 'cut off'
has cut 'Kernel Mode - 20.00 20.00 20.00'
grep -q 'middle of a record' "$out/err" || fail 'a torn file is not named'

# M68: a raw file; a recording of it says the same.
cat >"$out/raw" <<'END'
$hpcperfstats 1.0.2
$hostname n1.example.org
$uptime 1000
!block rd_ios,E wr_ios,E time_in_queue,E,U=ms
!cpu user,E,U=cs nice,E,U=cs system,E,U=cs idle,E,U=cs iowait,E,U=cs irq,E,U=cs softirq,E,U=cs
!vm pgpgin,E,U=KB pgpgout,E,U=KB pgfault,E pgmajfault,E

1700000000 -
block sda 100 4294967290 4294967000
cpu 0 100 0 50 1000 0 0 0
cpu 1 100 0 50 1000 0 0 0
vm - 4000 8000 100 5

1700000010 -
block sda 150 4294967340 4704
cpu 0 600 0 250 1290 0 5 5
cpu 1 100 0 50 2000 0 0 0
vm - 8000 8400 1100 5
END
monitor modes,disk,page --input "$out/raw" --record "$out/of_raw" || fail 'raw file recorded'
python3 "$vms" read "$out/of_raw" >"$out/got" || fail 'recording of a raw file'
grep -q 'absent=3:PWRITIO,FREFLTS' "$out/got" || fail 'what has no source is not named'
for file in raw of_raw; do
	monitor modes,disk,page --input "$out/$file" --item queue_length,operation_rate \
		--summary >"$out/$file.sum"
done
diff "$out/raw.sum" "$out/of_raw.sum" || fail 'a raw file and its recording differ'
cp "$out/raw.sum" "$out/got"
has raw 'User Mode - 50.00 50.00 50.00' 'Executive Mode - - - -' 'sda - 10.00 10.00 10.00' \
	'Page Fault Rate - 100.00 100.00 100.00' 'Page Read Rate - 100.00 100.00 100.00' \
	'sda - 0.50 0.50 0.50' 'Page Write I/O Rate - - - -'

# Steal and iowait that decrease by a tick count nothing until they have passed where they were.
monitor modes --input "$srcdir/tests/report/counters-dip/archive/n1/1700000000" --summary \
	>"$out/got" || fail 'a raw file with dips'
has dips 'MP Synchronization - 0.05 0.00 0.08' 'Idle Time - 96.72 96.63 96.83'

# The file header states the usual interval of a raw file, also if samples of jobs lie between.
{
	sed -n '1,/^$/p' "$out/raw"
	for t in 0 60 63 120 180 191 240 300; do
		printf '1700000%s -\nvm - %s 8000 100 5\n\n' "$(printf %03d $t)" $((4000 + t))
	done
} >"$out/minutes"
for ask in '' '--interval 5'; do
	# shellcheck disable=SC2086 # no option, or one of two words
	monitor page --input "$out/minutes" $ask --record "$out/again" ||
		fail "a raw file $ask"
	python3 "$vms" read "$out/again" >"$out/got"
	grep -q '^header 60 ' "$out/got" ||
		fail "interval of a raw file $ask: $(head -1 "$out/got")"
done
monitor page --input "$out/minutes" --interval 120 --record "$out/again" ||
	fail 'a raw file, 120'
python3 "$vms" read "$out/again" >"$out/got"
grep -q '^header 120 ' "$out/got" || fail "interval 120 of a raw file: $(head -1 "$out/got")"

# Times are read in the zone that the page shows: the recording's, of OpenVMS its clock, of a raw
# file ours. The page's own form is one of them.
lines() {
	TZ=JST-9 monitor page,disk --input "$@" --summary >"$out/got" &&
		sed -n 's/^node [^ ]*  *//p' "$out/got" | head -1
}
TZ=EST5 monitor page --input "$out/raw" --record "$out/york" || fail 'raw file in New York'
for file in york:17:13:20:17:13:30 plain:22:13:30:22:14:00 raw:07:13:20:07:13:30; do
	name=${file%%:*}
	day=$([ "$name" = raw ] && echo 15 || echo 14)
	from=$(echo "$file" | cut -d : -f 2-4) to=$(echo "$file" | cut -d : -f 5-7)
	want="$day-Nov-2023 $from to $day-Nov-2023 $to"
	got=$(lines "$out/$name" --begin "$day-Nov-2023 $from" --end "$day-NOV-2023:$to")
	[ "$got" = "$want" ] || fail "$name: \"$got\", not \"$want\""
	got=$(lines "$out/$name" --begin "2023-11-$day $from" --end "2023-11-$day $to")
	[ "$got" = "$want" ] || fail "$name, written otherwise: \"$got\", not \"$want\""
done
got=$(lines "$out/york" --begin 1700000000 --end 1700000010)
[ "$got" = '14-Nov-2023 17:13:20 to 14-Nov-2023 17:13:30' ] || fail "by the epoch: $got"

hows=--summary
# Each reason why there is nothing has a message of its own.
why() {
	said=$1
	shift
	for how in $hows; do
		monitor "$@" "$how" >"$out/got" && fail "monitor $* $how: status 0"
		[ ! -s "$out/got" ] || fail "monitor $* $how: $(cat "$out/got")"
		grep -qF -- "$said" "$out/err" || fail "monitor $* $how: $(cat "$out/err")"
	done
}
sed '/^$/,$d' "$out/raw" >"$out/empty"
why 'the input holds no moment' modes --input "$out/empty"
why 'the input has no data of these classes' lock --input "$out/raw"
why 'has none of these classes' dlock --input "$out/plain"
why 'the input has no node other: its nodes are ALPHA, BETA, GAMMA' modes --input "$out/moved" \
	--node other
hows="--record=$out/no --all"
why 'all moments lie before --begin: the last is of 14-Nov-2023 22:14:20' modes \
	--input "$out/plain" --begin 2023-11-15
why 'all moments lie after --end: the first is of 14-Nov-2023 22:13:20' modes \
	--input "$out/plain" --end 2023-11-14
why 'the nearest are of 14-Nov-2023 22:13:30 and 14-Nov-2023 22:13:40' modes \
	--input "$out/plain" --begin '14-Nov-2023 22:13:31' --end '14-Nov-2023 22:13:39'
monitor processes --input "$out/plain" --summary >"$out/got" && fail 'PROCESSES are summed up'
grep -q 'PROCESSES is not summed up' "$out/err" || fail "$(cat "$out/err")"

refuses 'is no class' mode
refuses 'no CLASS is named' --input "$out/plain"
refuses '--comment is of --record' modes --input "$out/plain" --comment x
refuses 'a recording holds 60' modes --record "$out/x" --comment "$(printf '%061d' 0)"	# M28
refuses '--node is of --input' modes --node n1
refuses 'must be cpu, dio' processes --top rbs
refuses 'no class has it' disk --item size
refuses 'whole seconds' modes --interval 0.5	# M23
refuses 'whole seconds' modes --flush-interval 0
refuses 'summed up or recorded' modes --input "$out/plain,$out/second"
refuses '--by-node is of' modes --input "$out/plain" --summary --by-node
refuses 'it is the --input' modes --input "$out/plain" --record "$out/plain"
refuses 'is not a time' modes --begin someday
refuses 'must be numbers' modes --cpu=x
refuses 'must be numbers' modes --input "$out/plain" --cpu=1-
refuses 'must be numbers below 1024' modes --input "$out/plain" --cpu=1024
refuses 'must be numbers below 1024' modes --input "$out/plain" --cpu=2-1
exit $status
