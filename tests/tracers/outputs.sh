#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# outputs.sh - a receiver that writes transfers, events and records writes the same to each output
# as if it were its only one
here=${srcdir:-.}/tests/tracers
work=$(mktemp -d) || exit 99
# A receiver that root starts becomes another user, who must be able to write here.
[ "$(id -u)" != 0 ] || chown 65534:65534 "$work"
trap 'rm -rf "$work"' EXIT
failed=0

fail()
{
	echo "FAIL: $*"
	failed=1
}

# records FILE: print the records of FILE, but not type nodometer, the receiver's own cost
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

# A receiver that writes an archive and two files keeps one state for all of them.
capture=$here/s2_io_http.dgram
./nodometer-xrootd --read "$capture" --transfers "$work/t" --raw "$work/archive/" \
	--events="$work/csv" --csv --state "$work/state" 2>"$work/log" || fail "$(cat "$work/log")"
head -n 1 "$work/csv" | grep -q '^time,start,' || fail 'no names of columns'
[ -s "$work/state" ] || fail 'no state'
./nodometer-check "$work"/archive/*/current >"$work/log" || fail "$(cat "$work/log")"

# The accesses and bytes of all sessions add up to those of the accesses.
./nodometer-xrootd --read "$here/s5_px.dgram" --transfers "$work/accesses" \
	--sessions "$work/sessions" 2>"$work/log" || fail "$(cat "$work/log")"
# total FILE KEY...: print the sum of these members over all lines of FILE
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

# wrong TEXT OPTION...: nodometer xrootd must refuse the options with a message that matches TEXT
wrong()
{
	text=$1
	shift
	./nodometer-xrootd --read "$capture" "$@" >"$work/out" 2>"$work/log"
	[ $? = 2 ] || fail "$* is taken"
	grep -q -- "$text" "$work/log" || fail "$*: $(cat "$work/log")"
}
wrong 'both write to standard output' --transfers --events
wrong 'both write to .*/x: use a file for each' --transfers "$work/x" --raw "$work/x"
wrong 'both write to .*/x' --transfers --events -o "$work/x"
wrong '--events is given twice' --events "$work/a" --events "$work/b"
wrong '--output cannot be used' --events "$work/a" -o "$work/b"
wrong '--csv needs --events' --csv
wrong '--open needs --transfers' --transfers "$work/x" --format osg --open
wrong '--open must follow' --events "$work/x" --open
for file in a x; do
	[ ! -e "$work/$file" ] || fail "a file is made: $file"
done
exit $failed
