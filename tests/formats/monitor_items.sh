#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# monitor_items.sh - nodometer monitor computes all items of all classes from raw files
#
# M and a number name a line of the checklist of MONITOR recordings (tests/gates/seeds.sh). Each
# line needs a test.
. "$(dirname "$0")/monitor_items_lib.sh"

# has FILE ID LINE: vms.py must print LINE for the recording of FILE; ID is the tested line of the
# checklist. Absent items are stored as 0.
has()
{
	grep -qxF -- "$3" "$out/$1.got" || fail "$2: no line \"$3\" in $1:
$(grep "^${3%% *} " "$out/$1.got" | head -8)"
}

# absent FILE ID CLASS:ITEMS: the customer record of the recording must name these items as absent
absent()
{
	grep '^customer' "$out/$1.got" | grep -qE -- "[=;,]$3([;,\\\\]|\$)" ||
		fail "$2: $3 is not named as absent: $(grep '^customer' "$out/$1.got" | tail -1)"
}

recorded plain
recorded lustre
recorded storage
t=1700000010.0
has plain M69 "process $t 7 6554600 5 20 one 4096 4096 1 3 30 50 10 7 0 0"
# 70000 does not fit into 16 bits
has plain M69 "process $t 8 6619135 14 20 two 0 8192 1 3 30 50 10 8 0 0"
absent plain M69 0:EFWM,RBSTRAN
has plain M70 "class 1 $t 0 0 0 0 1 0 1 0 0 0 0 0 0 1"	# LEF, HIB, CUR; a zombie has no such state
has plain M71 "cpu $t 0 11 7 30 0 10 40 70 540"
absent plain M71 2:EXEC
has plain M72 "class 3 $t 100 1000 5 2000 0 0 0 0 0 0 0 10240 300"
# only the disk sda counts, not its partition
has plain M73 "class 4 $t 120 70 0 0 0 0 100 1000 5 2000 0 0 10240 300"
has lustre M74 "class 5 $t 0 0 3 20 30 0 0 0 0 9 7 2"
has storage M74 "class 5 $t 0 0 3 20 30 0 0 0 0 9 0 2"
has storage M78 "class 11 $t 0 0 0 0 70 80 0 0 1000 1010 0 0 0 0"
has storage M85 "class 21 $t 900 300 200 0 0 0 0 0 0 0 0 0 0"
absent storage M85 21:FRAGMENT,SPLIT,BUFWAIT,SIZE1,SIZE2,SIZE3,SIZE4,SIZE5,SIZE6,SIZE7
has storage M86 "class 22 $t 100 0 0 94 0 0 0 0 0 0 0 0 0 0"
has plain M76 "class 7 $t 0 0 0 0 0 0 0 0 5 3"
has lustre M76 "class 7 $t 13 0 5 9 0 0 0 0 52 28"
has plain M77 "class 8 $t 11 12 13 14 15"
has plain M79 "disk $t sda 120 3"
has lustre M80 "class 14 $t 0 0 13 0 0 0 0 0 5 0 9 0 0 0 0"
has plain M82 "class 17 $t 168 1 3 100 5 10240 300 120 70"
grep -q '^block 15 ' "$out/lustre.got" || fail 'M81: no block of a port'
grep '^customer' "$out/lustre.got" | grep -q '15:.*MSGSENT' || fail 'M81: MSGSENT is not absent'

# M75 M80 M83 M87: if the file has no data for a class, the class has neither a bit in the header
# nor a record.
grep -q '^header .* | 0 1 2 3 4 7 8 12 17$' "$out/plain.got" || fail "$(head -1 "$out/plain.got")"
grep -q '^header .* | 0 1 2 3 4 5 7 8 12 14 15 17$' "$out/lustre.got" ||
	fail "$(head -1 "$out/lustre.got")"

# M15 M16 M54: time stamps are UTC, and never decrease, although the clock was set back.
[ "$(awk '$1 == "class" && $2 == 3 { printf "%s ", $3 }' "$out/plain.got")" = \
	'1700000000.0 1700000010.0 1700000010.0 1700000020.0 ' ] || fail 'M16: stamps'

# M88: a raw file and the recording that was made from it show the same values.
for file in plain plain.dat; do
	"$NODOMETER" monitor all_classes --input "$out/$file" --summary \
		>"$out/sum.$file" 2>/dev/null
done
diff "$out/sum.plain" "$out/sum.plain.dat" || fail 'M88: a raw file and its recording differ'

# M71: a CPU that is present in only one sample does not count in later sums.
{ echo "$head"; echo '!cpu user,E,U=cs'
  printf '\n1700000000 -\ncpu 0 0\n\n1700000010 -\ncpu 0 400\ncpu 1 7\n'
  printf '\n1700000020 -\ncpu 0 1000\n\n1700000030 -\ncpu 0 1500\n'; } >"$out/cpus"
"$NODOMETER" monitor modes --input "$out/cpus" --summary >"$out/sum" 2>"$out/err"
[ "$(awk '/^User Mode/ { print $4, $5, $6; exit }' "$out/sum")" = '55.00 50.00 60.00' ] ||
	fail "M71: sum of the CPUs: $(cat "$out/err" "$out/sum")"

# Class PROCESSES lists processes of users before those of the kernel.
"$NODOMETER" monitor processes --input "$out/plain.dat" --end +1 >"$out/processes"
[ "$(awk '/^0000000/ { printf "%s %s ", $1, $4 }' "$out/processes")" = \
	'00000007 one 00000008 two 00000009 kthread ' ] || fail "order: $(cat "$out/processes")"

# M11: disks that do not fit into a record are reported once, on the page and in the recording, for
# a raw file and for its recording.
{ echo "$head"; echo '!block rd_ios,E'
  for t in 0 10 20 30; do
	printf '\n17000000%02d -\n' $t
	seq 900 | sed 's/.*/block sd& 1/'
  done; } >"$out/disks"
recorded disks
cp "$out/disks.dat" "$out/disks2"
[ "$(grep -c '12 elements .* are left out$' "$out/err")" = 1 ] ||
	fail "M11: not said once: $(cat "$out/err")"
recorded disks2
for file in disks disks2; do
	[ "$(grep -c '^customer .*left_out=12:12' "$out/$file.got")" = 1 ] ||
		fail "M11: $file: not stated once: $(grep ^customer "$out/$file.got")"
done

# M94 M95: the defaults are those of the manual; class SCS shows D_SEND.
"$NODOMETER" monitor --help >"$out/help"
grep -q 'Ends at --end, such as +60, or with Ctrl-C' "$out/help" || fail 'how it ends'
grep -q 'interval S .*(default 3, or as recorded)' "$out/help" || fail 'M94: --interval'
grep -A 1 'flush-interval S' "$out/help" | grep -q '(default 300)$' || fail 'M94: --flush-interval'
"$NODOMETER" monitor scs --input "$out/lustre" --summary >"$out/scs"
grep -qi 'datagrams sent\|D_SEND' "$out/scs" || fail "M95: $(cat "$out/scs")"
exit $status
