#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# restart.sh - a receiver that is restarted after any datagram reports the same as one that is not
#
# An argument names another folder of captures. In each capture, at most STEPS (14) places to
# restart are tried.
here=${srcdir:-.}/tests/tracers
data=${1:-$here}
for need in jq perl; do
	command -v $need >/dev/null || { echo "SKIP: $need is not installed"; exit 77; }
done
work=$(mktemp -d) || exit 99
# A receiver that root starts becomes another user, who must be able to write here.
[ "$(id -u)" != 0 ] || chown 65534:65534 "$work"
trap 'rm -rf "$work"' EXIT
steps=${STEPS:-14}
failed=0 places=0

fail()
{
	echo "FAIL: $*"
	failed=1
}

# receive FILE OPTION...: run nodometer xrootd on FILE, and print what it prints
receive()
{
	file=$1
	shift
	./nodometer-xrootd --read "$file" "$@" 2>"$work/log" || fail "$file: $(cat "$work/log")"
	! grep -q 'not used' "$work/log" || fail "$(cat "$work/log")"
}

# totals DIR: print the figures of XRootD in a report on all hosts of the archive DIR
totals()
{
	./nodometer-report --dir "$1" --host '*' --json 2>/dev/null |
		jq -cS '[.figures[] | select(.section | startswith("XRootD")) |
			[.figure, .total]]'
}

# cut CAPTURE N: write the first N datagrams to $work/one and the others to $work/two, and print how
# many others there are
cut()
{
	perl -e '
	my ($file, $n, $one, $two) = @ARGV;
	open(my $f, "<:raw", $file) or die;
	open(my $to, ">:raw", $one) or die;
	read($f, my $head, 8);
	print $to $head;
	my $i = 0;
	while (read($f, $head, 24) == 24) {
		if ($i++ == $n) {
			open($to, ">:raw", $two) or die;
			print $to "XDGRAM1\n";
		}
		read($f, my $data, unpack("x16N", $head));
		print $to $head, $data;
	}
	print "$i\n";' "$1" "$2" "$work/one" "$work/two"
}

for capture in "$data"/*.dgram; do
	case $capture in
	*/summary.*) continue ;;	# this capture has no detailed monitoring
	esac
	receive "$capture" | sort >"$work/want"
	rm -f "$work/raw"
	receive "$capture" --raw -o "$work/raw"
	totals "$work/raw" >"$work/want.totals"
	n=$(cut "$capture" 1)
	step=$(((n + steps - 1) / steps))
	i=1
	while [ "$i" -lt "$n" ]; do
		cut "$capture" "$i" >/dev/null
		rm -f "$work/raw" "$work"/state*
		{
			receive "$work/one" --state "$work/state"
			receive "$work/two" --state "$work/state" --final
		} | sort >"$work/got"
		cmp -s "$work/want" "$work/got" || fail "${capture##*/} at $i: transfers"
		[ ! -e "$work/state" ] || fail "${capture##*/} at $i: a state stays"
		if [ $((places % 4)) = 0 ]; then	# reports take longer
			receive "$work/one" --raw --state "$work/state" -o "$work/raw"
			receive "$work/two" --raw --state "$work/state" -o "$work/raw" --final
			totals "$work/raw" >"$work/got.totals"
			cmp -s "$work/want.totals" "$work/got.totals" || {
				fail "${capture##*/} at $i: totals"
				diff "$work/want.totals" "$work/got.totals"
			}
		fi
		places=$((places + 1))
		i=$((i + step))
	done
done
[ $places -gt 50 ] || fail "only $places places"

# Rows made from summary packets are written at the end of their minute, even if the receiver
# restarts before.
rows()
{
	grep '^xrd_' "$1" | sort
}
capture=$here/summary.packets
receive "$capture" --raw -o "$work/whole"
rows "$work/whole" >"$work/want"
[ "$(wc -l <"$work/want")" -gt 100 ] || fail 'few rows of summary packets'
for i in 1 5 17; do
	cut "$capture" $i >/dev/null
	rm -f "$work/parts"
	receive "$work/one" --raw -o "$work/parts" --state "$work/state"
	receive "$work/two" --raw -o "$work/parts" --state "$work/state" --final
	rows "$work/parts" >"$work/got"
	cmp "$work/want" "$work/got" || fail "rows of summary packets, at $i"
done

# A state file that is damaged or has another version is reported and not used.
capture=$here/s2_io_http.dgram
cut "$capture" 40 >/dev/null
receive "$work/one" --state "$work/state" >/dev/null
for damage in 's/^nodometer/somebodyx/' 's/^\(nodometer-xrootd state\) [0-9]*$/\1 5/' \
	's/alice/alicf/g; s/root/roox/g' '$d'; do
	sed "$damage" "$work/state" >"$work/bad"
	cmp -s "$work/state" "$work/bad" && fail "no damage: $damage"
	./nodometer-xrootd --read "$work/two" --state "$work/bad" --final >"$work/got" \
		2>"$work/log" || fail "a bad state ends it: $(cat "$work/log")"
	grep -q 'the saved state is ignored' "$work/log" || fail "$damage: $(cat "$work/log")"
	[ -s "$work/got" ] || fail "$damage: nothing is reported"
done

# A state file that is no regular file is neither read nor replaced.
mkfifo "$work/fifo"
ln -s /dev/zero "$work/zero"
for name in fifo zero .; do
	timeout 20 ./nodometer-xrootd --read "$work/one" --state "$work/$name" >"$work/got" \
		2>"$work/log"
	[ $? = 1 ] || fail "--state $name: not refused"
	grep -q 'not a regular file' "$work/log" || fail "$(cat "$work/log")"
	[ ! -f "$work/$name" ] || fail "$name was replaced"
done

[ $failed = 1 ] || echo "$places restarts reported the same"
exit $failed
