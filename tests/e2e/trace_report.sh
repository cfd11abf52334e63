#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# trace_report.sh - nodometer trace report on known requests: who shares files, how, in which order
# and how fast
. "$(dirname "$0")/lib.sh"
command -v jq >/dev/null || skip 'jq is not installed'
. "$(dirname "$0")/trace_lib.sh"
csv=$srcdir/tests/tracers/shared.csv
"$trace" report --json "$csv" >"$scratch/json" || fail 'no report'

# is_in WHAT FILTER EXPECTED: fail unless the jq filter gives EXPECTED for the report
is_in() { is "$1" "$(jq -cr "$2" "$scratch/json")" "$3"; }
shared() { is_in "shared: $1" ".files[] | select(.name == \"/d/$1\") | .shared" "$2"; }
shared whole read-whole
shared parts read-parts
shared some read
shared one one-writer
shared pieces write-parts
shared alternate write-interleaved
shared twice write-overlapping
shared back null
order() { is_in "order: $1" ".files[] | select(.name == \"/d/$1\") | [.reads, .writes]" "$2"; }
order whole '["sequential",null]'
order alternate '[null,"strided"]'
order back '["backward",null]'
order random '["random",null]'
is_in programs '[.programs[] | .name, .requests]' '["/usr/bin/other",14,"/usr/bin/rank",150]'
is_in processes '.processes | length' 3
is_in 'sizes of reads' '.use.reads.bytes' \
	'{"p50":4096,"p90":4096,"p99":1048576,"least":4096,"largest":1048576}'
is_in 'sizes of a program' '.programs[0].use.reads | [.requests, .bytes.p90, .bytes.p99]' \
	'[11,4096,1048576]'
is_in 'the slowest' '.slowest[0] | [.operation, .file, .process, .ns]' \
	'["read","/d/random","13 /usr/bin/other",700000000]'
is_in 'bytes in rates' '[.rates[].read] | add' "$(jq '[.files[].read] | add' "$scratch/json")"
is_in 'bytes of sizes' '[.sizes[] | .reads + .writes] | add' "$(jq .data "$scratch/json")"
is_in 'requests of times' '[.times[] | .reads + .writes + .metadata] | add' \
	"$(jq .requests "$scratch/json")"
# All times are 1 ms; the report's median may be at most 3 % lower.
is_in 'half of the times' '.use.writes.ns.p50 > 970000 and .use.writes.ns.p50 <= 1000000' true

# Check the report as text, and as an HTML page with the same contents that loads no other files.
"$trace" report "$csv" >"$scratch/text" || fail 'no text'
grep -q '^2 processes write pieces that alternate  */d/alternate' "$scratch/text" ||
	fail 'the text does not say how a file is shared'
wide=$(awk 'length > 80' "$scratch/text")
is 'lines of more than 80 columns' "$wide" ''
"$trace" report --html "$scratch/page" "$csv" || fail 'no page'
grep -q '<td>/d/alternate</td><td>writes strided</td><td>2 processes write pieces that' \
	"$scratch/page" || fail 'the page does not say how a file is shared'
grep -q 'data:image/svg+xml\|gnuplot is not installed' "$scratch/page" ||
	fail 'no chart, and not why'
! grep -qi '\(src\|href\)="http' "$scratch/page" || fail 'the page asks somebody'
"$trace" report --html - --json "$csv" 2>/dev/null
is 'status of two forms' $? 2

# If a recording states lost records, text, JSON and page show them; they also show that a recording
# states nothing.
is_in 'losses that nobody stated' '[.has_end, .lost, .lost_calls32]' '[false,null,null]'
grep -q '^  records that were lost  *none stated$' "$scratch/text" ||
	fail 'the text does not say that no losses are stated'
lost=2026-11-25T10:00:0
lost="${lost}0Z,${lost}1Z,1000000000,,0,,0,,0,,file,lost"
(cat "$csv"; echo "$lost,5,0"; echo "$lost,2,3") >"$scratch/lossy.csv"
(cat "$scratch/lossy.csv"; tail -n 1 "$csv") >"$scratch/killed.csv"
"$trace" report --json "$scratch/lossy.csv" >"$scratch/json" || fail 'no report'
is_in losses '[.has_end, .lost, .lost_calls32, .requests]' '[true,7,3,164]'
is_in 'operations with losses' '.operations | has("lost")' false
"$trace" report "$scratch/lossy.csv" >"$scratch/text"
"$trace" report --html - "$scratch/lossy.csv" >"$scratch/page"
words='7, so that numbers are too low; besides 3 calls of 32-bit programs'
grep -q "^  records that were lost  *$words\$" "$scratch/text" || fail 'losses are not in the text'
grep -q "<dt>records that were lost</dt><dd>$words</dd>" "$scratch/page" ||
	fail 'losses are not on the page'
"$trace" report --json "$scratch/lossy.csv" "$scratch/killed.csv" >"$scratch/json"
is_in 'losses of two' '[.has_end, .lost]' '[false,14]'
"$trace" report "$scratch/killed.csv" | grep -q \
	'lost  *7 or more, so that numbers are too low: a recording has no end;' ||
	fail 'the text does not say that more may be lost'

"$trace" report --json "$csv" "$scratch/lossy.csv" >"$scratch/json"
is_in 'losses of one of two' '[.has_end, .lost]' '[true,7]'

# A process that reads only both ends of a file is not reported as reading the whole file.
for read in 1,0,90000 2,0,100 2,89900,100; do
	at=${read#*,}
	echo "2026-01-01T00:00:00Z,2026-01-01T00:00:00.001Z,1000000,u,1,g,1,/bin/x,${read%%,*},/f,\
file,read,90000,${at%,*},${at#*,},${at#*,}"
done >"$scratch/ends.csv"
"$trace" report --json "$scratch/ends.csv" >"$scratch/json" || fail 'no report of three reads'
is_in 'shared: two ends' '.files[0].shared' read

# A copy reads one file and writes another.
copied=2026-01-01T00:00:00Z,2026-01-01T00:00:00.001Z,1000000,u,1,g,1,/bin/cp,1
printf "$copied,/d/from,file,copy_file_range,%s\n" /d/to,0,4096,4096 /d/to,4096,4096,4000 \
	>"$scratch/copy.csv"
"$trace" report --json "$scratch/copy.csv" >"$scratch/json" || fail 'no report of a copy'
is_in 'files of a copy' '[.files[] | [.name, .requests, .read, .written, .reads, .writes]]' \
	'[["/d/from",2,8096,0,"sequential",null],["/d/to",2,0,8096,null,"sequential"]]'
is_in 'program of a copy' '.programs[0] | [.requests, .read, .written]' '[2,8096,8096]'
is_in 'rates of a copy' '[.rates[] | .read, .written] | add' 16192

# --slow records only operations that take at least this long.
"$trace" --shadow "$s" --mount "$m" --slow 5 2>/dev/null
is 'status of a time without a unit' $? 2
echo text >"$s/text"
traced --out "$scratch/none.csv" --slow 1000s
cat "$m/text" >/dev/null
untraced
is 'records of what is not slow' "$(wc -l <"$scratch/none.csv")" 0
traced --out "$scratch/all.csv" --slow 0us
cat "$m/text" >/dev/null
untraced
grep -q ',read,5,' "$scratch/all.csv" || fail 'nothing is slow enough for 0us'
