#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# archive.sh - reports can read the archive that nodometer xrootd --raw writes, also after a restart
# or with a torn file
here=${srcdir:-.}/tests/tracers
command -v jq >/dev/null || { echo 'SKIP: jq is not installed'; exit 77; }
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

# keep CAPTURE TO: write the sums of CAPTURE to TO, in one run of nodometer xrootd
keep()
{
	./nodometer-xrootd --read "$here/$1.dgram" --raw -o "$2" 2>"$work/log" ||
		fail "--raw of $1: $(cat "$work/log")"
}

# figures DIR: print lines "FIGURE TOTAL" from the report of all hosts in the archive DIR
figures()
{
	./nodometer-report --dir "$1" --host '*' --json |
		jq -r '.figures[] | select(.section | startswith("XRootD")) |
			"\(.figure) \(.total)"'
}

# After a receiver was killed in the middle of a record group and of a row, the next receiver
# repairs the file and appends to it.
keep s2_io_http "$work/archive/"
figures "$work/archive" | sort >"$work/first"
file=$(echo "$work"/archive/*/current)
whole=$(wc -c <"$file")
printf '\n1795212999 -\nxrootd vm:23011 1 2 3 4 5 6 7 8 9\nxrootd_op' >>"$file"
./nodometer-check "$file" | grep -q 'not whole' || fail 'a torn group is not seen'
keep s3_min_redirlocal "$work/archive/"
./nodometer-check "$file" | grep -q ': whole; ' || fail "$(./nodometer-check "$file")"
[ "$(head -c "$whole" "$file" | tail -c 9)" = "$(tail -c +$((whole - 8)) "$file" | head -c 9)" ] ||
	fail 'the file was not gone on with'
ls "$work"/archive/*/[0-9]* >"$work/files"
[ "$(wc -l <"$work/files")" = 1 ] || fail "files: $(cat "$work/files")"

# Reports on the archive of two runs show the sum of both: although each run's counters begin at 0,
# nothing is missing or counted twice.
keep s3_min_redirlocal "$work/second/"
figures "$work/second" | sort >"$work/second.sums"
sort "$work/first" "$work/second.sums" |
	awk '{ n[$1] += $2 } END { for (f in n) printf "%s %d\n", f, n[f] }' | sort >"$work/want"
figures "$work/archive" | sort >"$work/got"
diff "$work/want" "$work/got" || fail 'the report of two runs is not the sum of both'
grep -q '^xrootd.opens 25$' "$work/got" || fail "opens: $(grep opens "$work/got")"
grep -q '^xrootd.read_bytes 37989776$' "$work/got" || fail "bytes: $(grep bytes "$work/got")"

# A report on a time without records fails. A report with --since has only counts from that minute
# on.
./nodometer-report --dir "$work/archive" --host '*' --since 1795300000 2>"$work/log" &&
	fail 'a report of a time without records'
./nodometer-report --dir "$work/archive" --host nosuch 2>"$work/log" && fail 'a report of no host'
./nodometer-report --dir "$work/second" --host '*' --since 1795212480 --json |
	jq -e '[.figures[] | select(.figure == "xrootd.opens")][0].total == 3' >/dev/null ||
	fail 'a server that comes after --since does not count from 0'

# If the output is a file and not a folder, each run adds a header.
keep s2_io_http "$work/file"
printf '\n1795212999 -\nxrootd vm' >>"$work/file"
keep frm "$work/file"
./nodometer-check "$work/file" >"$work/log"
[ "$(grep -c '^.hpcperfstats' "$work/file")" = 2 ] || fail 'a second header'
grep -q ': 2 defects; 10 groups' "$work/log" ||	# the row that is cut off, and its record group
	fail "$(cat "$work/log")"

# A receiver is killed after it wrote record groups, but before it saved its state: the next
# receiver does not count the contents of these record groups again.
perl -e '
	my ($to) = @ARGV;
	for my $part (0 .. 2) {
		open(my $f, ">:raw", "$to.$part") or die;
		print $f "XDGRAM1\n";
		for my $n (240 * $part .. 240 * $part + 239) {
			my $time = 1700000040 + $n;
			my $who = "=/x.5:42\@srv\n&site=S&port=1094&inst=i&pgm=xrootd&ver=v5.5.3";
			my $path = "/f\0\0\0\0\0\0";
			my $all = pack("CCnNQ>N", 1, 1, 28, $n, 5, 0) . $path .
				pack("CCnNQ>Q>Q>", 0, 0, 32, $n, 1000, 0, 0);
			my @all = (pack("aCnN", "f", $n % 256, 32 + length $all, 77) .
				pack("CCnnnNNQ>", 2, 1, 24, 0, 2, $time, $time + 1, 42) . $all);
			unshift @all, pack("aCnNN", "=", 0, 12 + length $who, 77, 0) . $who
				unless $n;
			print $f pack("Q>C4nnNN", ($time + 2) * 1000000, 127, 0, 0, 1, 5000, 9930,
				length, 0), $_ for @all;
		}
	}' "$work/part"
# go_on PART OPTION...: run the next receiver on part number PART of the datagrams
go_on()
{
	part=$1
	shift
	./nodometer-xrootd --read "$work/part.$part" --raw -o "$work/killed/" \
		--state "$work/state" "$@" 2>"$work/log" || fail "$(cat "$work/log")"
}
go_on 0
cp "$work/state" "$work/state.saved"
go_on 1 --final
cp "$work/state.saved" "$work/state"
go_on 2 --final
./nodometer-check "$work"/killed/*/current >"$work/log" || fail "$(cat "$work/log")"
figures "$work/killed" >"$work/got"
for want in 'xrootd.opens 720' 'xrootd.read_bytes 720000'; do
	grep -qx "$want" "$work/got" || fail "not $want: $(grep "${want% *}" "$work/got")"
done

./nodometer-xrootd --read "$here/frm.dgram" --raw -o /proc/nowhere/ 2>"$work/log" &&
	fail 'an archive that cannot be made'
grep -q '^nodometer-xrootd: /proc/nowhere/: ' "$work/log" || fail "it says: $(cat "$work/log")"
[ $failed = 1 ] || echo "$(wc -l <"$work/got") sums are reported right"
exit $failed
