#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# strangers.sh - datagrams from foreign addresses do not change what a receiver reports about its
# servers
here=${srcdir:-.}/tests/tracers
command -v perl >/dev/null || { echo 'SKIP: perl is not installed'; exit 77; }
work=$(mktemp -d) || exit 99
[ "$(id -u)" != 0 ] || chown 65534:65534 "$work"	# the user that a receiver of root becomes
trap 'rm -rf "$work"' EXIT
capture=$here/s2_io_http.dgram
failed=0
fail()
{
	echo "FAIL: $*"
	failed=1
}

# Insert datagrams from other addresses between those of the capture: many starts of servers, and
# many files that are never closed.
perl -e '
	print "XDGRAM1\n";
	open(my $f, "<:raw", $ARGV[0]) or die;
	read($f, my $head, 8);
	my $n = 0;
	while (read($f, $head, 24) == 24) {
		read($f, my $data, unpack("x16N", $head));
		my $time = substr($head, 0, 8);
		for (1 .. 80) {
			$n++;
			my $code = $n % 2 ? "=" : "d";
			my $d = pack("aCnNNa*", $code, $n % 256, 24, $n, $n, "x/y.1:2\@h\n/z");
			$d = substr($d . "\0" x 24, 0, 24);
			print $time, pack("C4nnNN", 10, 9, 8, 7, 1000 + $n % 7, 9930, 24, 0), $d;
		}
		my $opens = join "", map { pack("CCnNQ>", 1, 0, 16, $n * 4000 + $_, 5) } 1 .. 900;
		$opens = pack("aCnN", "f", $n % 256, 32 + length $opens, 77) .
			pack("CCnnnNNQ>", 2, 1, 24, 0, 900, 1, 2, 3) . $opens;
		print $time, pack("C4nnNN", 10, 9, 8, 6, 1, 9930, length $opens, 0), $opens;
		print $head, $data;
	}' "$capture" >"$work/crowd"
./nodometer-xrootd --memory 2 --read "$capture" 2>/dev/null | sort >"$work/want"
./nodometer-xrootd --memory 2 --read "$work/crowd" 2>"$work/log" | grep -v '#10\.9\.8\.' |
	sort >"$work/got"
cmp -s "$work/want" "$work/got" || fail 'strangers change what is reported'
grep -q ' [1-9][0-9]* users and files forgotten, [1-9]' "$work/log" || fail "$(cat "$work/log")"
exit $failed
