#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# monitor_raw.sh - nodometer monitor shows and records raw files, and uses the time zone of each
# file
#
# M and a number name a line of the checklist of MONITOR recordings (tests/gates/seeds.sh). Each
# line needs a test.
. "$(dirname "$0")/monitor_lib.sh"
written plain

# M68: a raw file and its recording show the same values.
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

# If steal and iowait decrease by a tick, their growth does not count until they exceed their
# previous values.
monitor modes --input "$srcdir/tests/report/counters-dip/archive/n1/1700000000" --summary \
	>"$out/got" || fail 'a raw file with dips'
has dips 'MP Synchronization - 0.05 0.00 0.08' 'Idle Time - 96.72 96.63 96.83'

# The recording's header has the usual interval of the raw file, although marks of jobs caused more
# samples.
minutes() {	# HOST TIME...
	sed -n "s/n1/$1/;1,/^\$/p" "$out/raw"
	shift
	for t; do
		printf '1700000%s -\nvm - %s 8000 100 5\n\n' "$(printf %03d "$t")" $((4000 + t))
	done
}
minutes n1 0 60 63 120 180 191 240 300 >"$out/minutes"
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
# With two nodes, the time between samples of different nodes is not taken for an interval.
minutes n2 20 80 140 200 260 320 >"$out/other"
monitor page --input "$out/minutes,$out/other" --record "$out/again" || fail 'two raw files'
python3 "$vms" read "$out/again" >"$out/got"
grep -q '^header 60 ' "$out/got" || fail "interval of two raw files: $(head -1 "$out/got")"

# After a boot, counters count from 0, even if their first values exceed the last ones before the
# boot.
{
	cat "$out/raw"
	sed -n '1,/^$/s/uptime 1000/uptime 5/;1,/^$/p' "$out/raw"
	printf '\n1700000060 -\nvm - 8000 8400 50000 5\n\n1700000070 -\nvm - 8000 8400 51000 5\n'
} >"$out/booted"
monitor page --input "$out/booted" --record "$out/booted_again" || fail 'a boot is not recorded'
for file in booted booted_again; do
	monitor page --input "$out/$file" --summary >"$out/got"
	has "$file" 'Page Fault Rate - 100.00 100.00 100.00'
done

# Hosts of different domains are different nodes, even if their short names are the same.
sed '/^\$hostname/s/example/other/;s/^1700000\(0[01]0\) -/1700001\1 -/' "$out/raw" |
	cat "$out/raw" - >"$out/moved"
monitor page --input "$out/moved" --summary >"$out/got"
[ "$(sed -n 's/^node \([^ ]*\) .*/\1/p' "$out/got" | tr '\n' ' ')" = \
	'n1.example.org n1.other.org ' ] || fail "two domains: $(cat "$out/got")"

# Options take times in the time zone that pages show, and in the form that pages have. For a
# recording of OpenVMS, this is the local clock of OpenVMS; for another recording, its own zone; for
# a raw file, the local zone.
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

exit $status
