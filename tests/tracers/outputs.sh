#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# outputs.sh - a receiver that writes transfers, events and records writes each as if it were the
# only output
here=${srcdir:-.}/tests/tracers
work=$(mktemp -d) || exit 99
# Here a receiver that root starts runs as another user, who needs this folder.
[ "$(id -u)" != 0 ] || chown 65534:65534 "$work"
trap 'rm -rf "$work"' EXIT
failed=0

fail()
{
	echo "FAIL: $*"
	failed=1
}

# records FILE: print the records without what depends on the receiver's own cost
records()
{
	grep -v '^nodometer \|^\$' "$1"
}

for capture in "$here"/*.dgram; do
	rm -rf "$work/all."*
	for how in transfers events raw; do
		./nodometer-xrootd --read "$capture" --$how >"$work/$how" 2>/dev/null
	done
	./nodometer-xrootd --read "$capture" --transfers "$work/all.t" --events "$work/all.e" \
		--raw - >"$work/all.r" 2>"$work/log" || fail "${capture##*/}: $(cat "$work/log")"
	cmp "$work/transfers" "$work/all.t" || fail "transfers of ${capture##*/}"
	cmp "$work/events" "$work/all.e" || fail "events of ${capture##*/}"
	records "$work/raw" >"$work/want"
	records "$work/all.r" >"$work/got"
	diff "$work/want" "$work/got" || fail "records of ${capture##*/}"
done
[ "$(wc -l <"$work/want")" -gt 20 ] || fail 'few records'

# A receiver that writes an archive and files ends and continues. It has one state, next to the
# archive.
capture=$here/s2_io_http.dgram
./nodometer-xrootd --read "$capture" --transfers "$work/t" --raw "$work/archive/" \
	--events="$work/csv" --csv --state "$work/state" 2>"$work/log" || fail "$(cat "$work/log")"
head -n 1 "$work/csv" | grep -q '^time,start,' || fail 'no names of columns'
[ -s "$work/state" ] || fail 'no state'
./nodometer-check "$work"/archive/*/current >"$work/log" || fail "$(cat "$work/log")"

# All sessions together have as many accesses and bytes as the accesses themselves.
./nodometer-xrootd --read "$here/s5_px.dgram" --transfers "$work/accesses" \
	--sessions "$work/sessions" 2>"$work/log" || fail "$(cat "$work/log")"
# total FILE KEY...: print the sum of these members over all lines
total()
{
	perl -ne 'BEGIN { $keys = join("|", splice(@ARGV, 1)) }
		$sum += $1 while /"(?:$keys)":(\d+)/g; END { print $sum + 0 }' "$@"
}
[ "$(total "$work/sessions" accesses)" = "$(wc -l <"$work/accesses")" ] ||
	fail 'accesses of sessions'
bytes=$(total "$work/accesses" read readv write)
[ "$bytes" -gt 1000000 ] || fail "bytes of accesses: $bytes"
[ "$(total "$work/sessions" read readv write)" = "$bytes" ] || fail "bytes of sessions: not $bytes"

# wrong TEXT OPTION...: the options must be refused with a message that has TEXT
wrong()
{
	text=$1
	shift
	./nodometer-xrootd --read "$capture" "$@" >"$work/out" 2>"$work/log"
	[ $? = 2 ] || fail "$* is taken"
	grep -q -- "$text" "$work/log" || fail "$*: $(cat "$work/log")"
}
wrong 'both go to standard output' --transfers --events
wrong 'both go to .*/x: give each a file' --transfers "$work/x" --raw "$work/x"
wrong 'both go to .*/x' --transfers --events -o "$work/x"
wrong '--events is given twice' --events "$work/a" --events "$work/b"
wrong '--output cannot be used' --events "$work/a" -o "$work/b"
wrong '--csv needs --events' --csv
wrong '--open needs --transfers' --transfers "$work/x" --format osg --open
wrong '--open go after' --events "$work/x" --open
for file in a x; do
	[ ! -e "$work/$file" ] || fail "a file is made: $file"
done
exit $failed
