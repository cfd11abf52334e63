#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# rms.sh - nodometer trace report --monitor writes file operations as class RMS of a MONITOR
# recording (line M84 of the checklist in tests/gates/seeds.sh)
[ -x ./nodometer-trace ] || { echo 'SKIP: built without libfuse3'; exit 77; }
[ -x ./nodometer-monitor ] || { echo 'SKIP: built without openvms'; exit 77; }
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
fail() { echo "FAIL: $*"; exit 1; }

# event TIME FILE OPERATION[,VALUES]: print a record of an operation in nodometer trace's format
event() { echo "2026-03-23T$1Z,2026-03-23T$1Z,0,a,1,g,1,/bin/x,2,/d/$2,file,$3"; }
{
	event 10:05:48 one open,O_RDONLY,0000
	event 10:05:49 one read,5000,0,4096,4096
	event 10:05:49 one read,5000,4096,4096,904
	event 10:05:52 one flush
	event 10:05:52 one close
	event 10:05:52 one stat
	event 10:06:01 two creat,'O_WRONLY|O_CREAT',0644
	event 10:06:01 two write,0,20480,20480
	event 10:06:01 two fsync
	event 10:06:02 one copy_file_range,/d/three,0,3072,3072
	event 10:06:02 one copy_file_range,,0,0,0	# into a pipe or socket
} >"$work/trace.csv"
./nodometer-trace report --monitor "$work/rms.dat" "$work/trace.csv" >/dev/null ||
	fail 'no recording'

# now BLOCK: print the counts in block BLOCK of class RMS for the last interval
now() {
	./nodometer-monitor --dump --input "$work/rms.dat" |
		awk -v block="$1" '$1 == "block" { here = $2 == block; line = "" }
			here && /MNR_RMS/ { line = line " " $3; last = line } END { print last }'
}
# Counts begin at the first record of the input, so the first set of class RMS has only zeros.
./nodometer-monitor --dump --input "$work/rms.dat" | awk '$1 == "block" && $2 == 1 { n++ }
	n == 1 && /MNR_RMS/ { sum += $3; seen++ } END { exit !(seen && sum == 0) }' ||
	fail 'the first set counts'
./nodometer-monitor --dump --input "$work/rms.dat" >"$work/dump" || fail 'it cannot be read'
[ "$(grep -o '"/d/[a-z]*"' "$work/dump" | tr '\n' ' ')" = '"/d/one" "/d/two" "/d/three" ' ] ||
	fail "files: $(grep FILENAME "$work/dump")"
grep -q 'absent=20:EXTENDS' "$work/dump" || fail 'extends are not said to be absent'
grep -q 'REVLEVELS  *131  .\{40\}f0' "$work/dump" || fail 'the layout of RMS is not said to be ours'
# Operations that failed are not counted.
awk -v OFS=, '{ print $0, 0 } /read,5000,0|creat/ { print $0, 28 }' "$work/trace.csv" \
	>"$work/failed.csv"
./nodometer-trace report --monitor "$work/failed.dat" "$work/failed.csv" >/dev/null ||
	fail 'no recording with failed operations'
for kind in rms failed; do
	./nodometer-monitor --dump --input "$work/$kind.dat" | grep MNR_RMS >"$work/$kind.counts"
done
diff "$work/rms.counts" "$work/failed.counts" || fail 'failed operations are counted'
#              reads KiB writes KiB opens closes extends flushes
[ "$(now 1)" = ' 4 7 0 0 1 1 0 1' ] || fail "one has $(now 1)"
[ "$(now 2)" = ' 0 0 1 20 1 0 0 1' ] || fail "two has $(now 2)"
[ "$(now 3)" = ' 0 0 1 3 0 0 0 0' ] || fail "three has $(now 3)"

# nodometer monitor plays back the recording, and shows 20 KiB in 20 seconds for a file.
./nodometer-monitor RMS --input "$work/rms.dat" --summary --all --item write_kb --file '/d/t*' \
	>"$work/summary" || fail 'no summary'
[ "$(awk '$1 == "/d/two" { print $3 }' "$work/summary")" = 1.00 ] ||
	fail "summary: $(cat "$work/summary")"
! grep -q /d/one "$work/summary" || fail 'not only the files of --file'

# The number of lost operations is in the comment of the recording, which is in the heading of each
# page.
echo '2026-03-23T10:06:00Z,2026-03-23T10:06:03Z,3000000000,,0,,0,,0,,file,lost,7,0' |
	cat "$work/trace.csv" - >"$work/lossy.csv"
./nodometer-trace report --monitor "$work/lossy.dat" "$work/lossy.csv" >/dev/null ||
	fail 'no recording of what lost records'
./nodometer-monitor RMS --input "$work/lossy.dat" --summary |
	grep -q 'nodometer trace, 7 records lost' || fail 'losses are not in the heading'

# If there are more files than a record holds, the busiest files are recorded. Operations over 27
# years are too many intervals, and are refused.
i=0
while [ $i -lt 1100 ]; do
	event 10:05:48 "file-$i" open,O_RDONLY,0000
	i=$((i + 1))
done >"$work/many.csv"
cat "$work/trace.csv" >>"$work/many.csv"
./nodometer-trace report --monitor "$work/many.dat" "$work/many.csv" >/dev/null 2>"$work/said" ||
	fail 'no recording of many'
grep -q 'has the 999 files with the most operations; 104 are left out' "$work/said" ||
	fail "said: $(cat "$work/said")"
./nodometer-monitor --dump --input "$work/many.dat" | grep -q '"/d/one"' || fail 'not the busiest'
event 10:05:48 one close | sed 's/2026/1999/g' >>"$work/trace.csv"
./nodometer-trace report --monitor "$work/rms.dat" "$work/trace.csv" >/dev/null 2>"$work/said" &&
	fail 'a recording of 27 years'
grep -q 'use a longer --interval' "$work/said" || fail "said: $(cat "$work/said")"
