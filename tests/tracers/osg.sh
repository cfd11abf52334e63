#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# osg.sh - transfers in the formats of OSG's collector and of WLCG obey independently written rules
#
# An argument names another folder of captures.
here=${srcdir:-.}/tests/tracers
data=${1:-$here}
command -v python3 >/dev/null || { echo 'SKIP: python3 is not installed'; exit 77; }
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
failed=0

# check CAPTURE: check the lines of CAPTURE in all three formats
check()
{
	for format in nodometer osg wlcg; do
		./nodometer-xrootd --read "$1" --format $format >"$work/$format" 2>"$work/log" ||
			{ echo "FAIL: $1 --format $format"; cat "$work/log"; failed=1; }
	done
	python3 "$here/osg.py" "$work/nodometer" "$work/osg" "$work/wlcg" >"$work/said" ||
		{ echo "FAIL: ${1##*/}"; failed=1; }
	sed "s|^|${1##*/}: |" "$work/said"
	total=$((total + $(wc -l <"$work/osg")))
	cat "$work/osg" >>"$work/all.osg"
	cat "$work/wlcg" >>"$work/all.wlcg"
}

# Make records that no capture has: names in certificates, job ids of CRAB, lost closes and opens,
# users without a record, and a path for each rule about directories.
perl -e '
	print "XDGRAM1\n";
	my ($n, $f, $time) = (0, 0, 1700000000);
	sub datagram {
		my ($d) = @_;
		print pack("Q>C4nnNN", $time++ * 1000000, 127, 0, 0, 1, 5000, 9930,
			length $d, 0), $d;
	}
	sub map_record {
		my ($code, $id, $text) = @_;
		datagram(pack("aCnNN", $code, $n++ % 256, 12 + length $text, 77, $id) . $text);
	}
	sub f_records {
		my $all = join "", @_;
		datagram(pack("aCnN", "f", $f++ % 256, 32 + length $all, 77) .
			pack("CCnnnNNQ>", 2, 1, 24, 0, scalar @_, $time, $time + 5, 42) . $all);
	}
	sub opened {
		my ($id, $user, $path) = @_;
		$path .= "\0" x (8 - length($path) % 8);
		pack("CCnNQ>N", 1, 1, 20 + length $path, $id, 5000, $user) . $path;
	}
	sub closed { pack("CCnNQ>Q>Q>", 0, 0, 32, $_[0], $_[1], $_[2], $_[3]) }
	# the close of a file by a server that has not sent its identification yet
	f_records(closed(900, 5, 0, 0));
	map_record("=", 0, "=/xrootd.5:42\@srv.example.org\n" .
		"&site=S&port=1094&inst=i&pgm=xrootd&ver=v5.8.0");
	my @users = (
		["gsi", "fuzzy.example.org", "&p=gsi&n=/DC=ch/CN=alice/CN=1&h=&o=cms cms&r=prod" .
			"&g=&m=/DC=ch/CN=bob::x&R=v5.8.0&x=cp&y=&I=6"],
		["xroot", "[::1]", "&p=gsi&n=/DC=ch/CN=al/CN=7&h=&o=&r=&g=&m=&R=v5.8.0&x=&y=&I=4"],
		["https", "vm", ""],
	);
	for my $i (0 .. $#users) {
		my ($prot, $host, $auth) = @{$users[$i]};
		map_record("u", 10 + $i, "$prot/u$i.$i:42\@$host\n$auth");
	}
	map_record("i", 20, "gsi/u0.0:42\@fuzzy.example.org\n" .
		"162_https://glidein.cern.ch/162/190501:u:crab:X_0");
	map_record("i", 21, "xroot/u1.1:42\@[::1]\nno_crab");
	map_record("U", 22, "x\n&Uc=10&Ec=2&Ac=3");
	map_record("T", 23, "x\n&Uc=12&s=sub&n=name&o=vo&r=role&g=/a");
	my @paths = qw(/user/a/b/c /userx/a /osgconnect/public/u/f /ospool/PROTECTED/u/f
		/ospool/a/b/c/d /ospool/a /path-facility/a/b/c /hcc/a/b/c/d/e/f
		/pnfs/fnal.gov/usr/a/b /gwdata/x/y
		/chtc/a /icecube/a /igwn/a/b/c /store/data/f /else/x /f /store);
	for my $i (0 .. $#paths) {
		f_records(opened(100 + $i, 10 + $i % 4, $paths[$i]));
		f_records(closed(100 + $i, $i % 3 ? 1000 + $i : 0, $i % 2 ? 7 : 0, $i % 5 ? 0 : 9));
	}
	f_records(opened(300, 10, "/store/xfr"), pack("CCnNQ>Q>Q>", 3, 0, 32, 300, 77, 0, 0));
	f_records(opened(301, 10, "/store/nothing"));
	f_records(closed(302, 8, 0, 0));
	# a file with 2 reads, a readv of 4 parts and 3 writes
	f_records(opened(303, 13, "/store/all"), pack("CCnNQ>Q>Q>N3n2Q>N6", 0, 2, 80, 303, 5000,
		4000, 300, 2, 1, 3, 4, 4, 4, 1000, 4000, 4000, 4000, 50, 150));
' >"$work/made.dgram"

total=0
for capture in "$data"/*.dgram "$work/made.dgram"; do
	case $capture in
	*/summary.*) ;;	# this capture has no detailed monitoring
	*) check "$capture" ;;
	esac
done
[ "$total" -gt 40 ] || { echo "FAIL: only $total records"; failed=1; }
python3 "$here/fields.py" "$here/fields.tsv" osg="$work/all.osg" wlcg="$work/all.wlcg" \
	2>"$work/log" ||
	{ echo "FAIL: $(tail -n 1 "$work/log")"; failed=1; }
grep -q '"CRAB_Workflow":"190501:u:crab:X"' "$work/wlcg" || { echo 'FAIL: no CRAB'; failed=1; }
grep -q '"user_dn":"/DC=ch/CN=bob"' "$work/osg" || { echo 'FAIL: no name of m'; failed=1; }
grep -q '/store/nothing' "$work/osg" && { echo 'FAIL: of what nothing is known'; failed=1; }
for wrong in '--format xml' '--format osg --events x' '--format osg --raw'; do
	# shellcheck disable=SC2086 # words
	./nodometer-xrootd --read "$capture" $wrong 2>"$work/log" &&
		{ echo "FAIL: $wrong is taken"; failed=1; }
	grep -q -- '--format' "$work/log" || { cat "$work/log"; failed=1; }
done
exit $failed
