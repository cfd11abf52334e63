#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# trace_mounts.sh - the tracer can mount over its folder; it says why it cannot mount or write
# records
. "$(dirname "$0")/lib.sh"
command -v jq >/dev/null || skip 'jq is not installed'
. "$(dirname "$0")/trace_lib.sh"
echo text >"$s/text"

# The tracer can mount over the traced directory itself, refuses a mount or records inside of that
# directory, and reports errors.
mkdir "$s/below"
"$trace" --shadow "$s" --mount "$s/below" 2>"$scratch/said" && fail 'it mounted inside'
grep -q 'is inside' "$scratch/said" || fail 'it does not say what is inside what'
"$trace" --shadow "$s" --mount "$m" --out "$s/records" 2>"$scratch/said" &&
	fail 'records of records'
grep -q 'is inside the traced directory' "$scratch/said" ||
	fail 'it does not say what --out is'
"$trace" --shadow "$s" --mount "$m" --events raed 2>"$scratch/said"
is 'status of wrong usage' $? 2
grep -q 'unknown operation "raed"' "$scratch/said" ||
	fail 'it does not say which operation is unknown'
real=$m m=$s
traced --out "$scratch/over" --ro
cat "$m/text" >/dev/null || fail 'nothing is seen over the directory itself'
echo 2>/dev/null >"$m/new" && fail '--ro lets write'
untraced
m=$real
grep -q "$s/text,file,read,5," "$scratch/over" || fail 'nothing was recorded over the directory'

# If records cannot be written, no operation is delayed, and the number of lost records is reported.
if [ -w /dev/full ]; then
	traced --out /dev/full
	cat "$m/text" >/dev/null || fail 'a full disk stops those who read'
	untraced 1
	grep -q 'records were lost: No space left' "$log" || fail 'it does not say what was lost'
fi

# If records exceed the file's size limit, as on a full disk, the file has only complete records:
# about forty here.
longest=$(awk 'length > n { n = length } END { print n + 1 }' "$scratch/over")
cat >"$scratch/limited" <<END
trap '' XFSZ
ulimit -f $((40 * longest / 512 + 1))
exec "\$@"
END
inside="sh $scratch/limited"
traced --out "$scratch/cut"
n=100
while [ $((n -= 1)) -ge 0 ]; do cat "$m/text"; done >/dev/null
untraced 1
inside=
lost=$(sed -n 's/.*: \([0-9]*\) records were lost: File too large.*/\1/p' "$log" | tail -n 1)
[ "${lost:-0}" -gt 0 ] || fail "what was lost: $(cat "$log")"
[ "$(wc -l <"$scratch/cut")" -gt 20 ] || fail "the file: $(cat "$scratch/cut")"
[ -z "$(tail -c 1 "$scratch/cut")" ] || \
	fail "it ends in half a record: $(tail -n 1 "$scratch/cut")"

# A recording states losses only if records were lost and there was room for the statement.
for file in over cut; do
	is "statements of $file" "$(grep -c ',file,lost,' "$scratch/$file")" 0
	"$trace" report --json "$scratch/$file" >"$scratch/report" || fail 'no report'
	is "losses of $file" "$(jq -c '[.has_end, .lost]' "$scratch/report")" '[false,null]'
done

# If mounting is impossible, the message says what is needed.
unshare -m sh -c 'mount --bind /dev/null /dev/fuse && exec "$@"' sh "$trace" --shadow "$s" \
	--mount "$m" 2>"$log" && fail 'mounted without /dev/fuse'
grep -q "cannot mount $m: .*/dev/fuse exist .* fusermount3 (package fuse3) " "$log" ||
	fail 'it does not say what a mount needs'
