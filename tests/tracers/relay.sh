#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# relay.sh - if datagrams of several servers come from one socket, reports are the same as if each
# server had its own
#
# An argument names another folder of captures. A relay may be socat, a NAT or OSG's shoveler.
here=${srcdir:-.}/tests/tracers
data=${1:-$here}
for need in jq perl; do
	command -v $need >/dev/null || { echo "SKIP: $need is not installed"; exit 77; }
done
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
failed=0

# mix AS CAPTURE...: print the datagrams of all captures in order of time. AS says how they arrive:
# "relay", from one socket; "direct", each server from its own socket; "message", from one socket
# and each in a message of the shoveler.
mix()
{
	perl -MMIME::Base64 -e '
	my $as = shift;
	my @all;
	for my $file (@ARGV) {
		open(my $f, "<:raw", $file) or die;
		read($f, my $head, 8);
		while (read($f, $head, 24) == 24) {
			read($f, my $data, unpack("x16N", $head));
			push @all, [$head, $data];
		}
	}
	@all = sort { substr($a->[0], 0, 8) cmp substr($b->[0], 0, 8) } @all;
	print "XDGRAM1\n";
	for (@all) {
		my ($head, $data) = @$_;
		if ($as eq "message") {
			my ($ip, $port) = unpack("x8 a4 n", $head);
			$data = sprintf("{\"remote\":\"%s:%d\",\"data\":\"%s\"}",
				join(".", unpack("C4", $ip)), $port, encode_base64($data, ""));
			substr($head, 16, 4) = pack("N", length $data);
		}
		substr($head, 8, 6) = "\x7f\0\0\1\x12\x34" if $as ne "direct";
		print $head, $data;
	}' "$@"
}

# reported CAPTURE HOW: print what --HOW reports, without values that depend on the socket
reported()
{
	./nodometer-xrootd --read "$1" "--$2" 2>"$work/log" >"$work/lines" ||
		{ echo "FAIL: $1"; cat "$work/log"; failed=1; }
	case $2 in
	raw)	./nodometer-cat "$work/lines" |
			jq -cS 'select(.type // "" | startswith("xrootd")) |
				select(.device | test("^[0-9.]+:") | not) |
				[.time, .type, .device, .values]' ;;
	transfers) jq -cS 'del(.serverID)' "$work/lines" ;;
	*)	# messages have no arrival time
		jq -cS 'del(.hdr.port, .hdr.received) | if .hdr.estimated then . else
			del(.hdr.start, .hdr.end, .hdr.time) end' "$work/lines" ;;
	esac | sort
}

# same WHAT ONE OTHER HOW...: captures ONE and OTHER must give equal reports, for each HOW
same()
{
	what=$1 one=$2 other=$3
	shift 3
	for how; do
		reported "$one" "$how" >"$work/want"
		reported "$other" "$how" >"$work/got"
		if cmp -s "$work/want" "$work/got"; then
			lines=$((lines + $(wc -l <"$work/want")))
			continue
		fi
		echo "FAIL: $how of $what"
		diff "$work/want" "$work/got" | head -n 10
		failed=1
	done
}

lines=0
set --
for capture in "$data"/*.dgram; do
	case $capture in
	*/summary.*) continue ;;	# this capture has no detailed monitoring
	esac
	mix relay "$capture" >"$work/relay"
	same "${capture##*/}" "$capture" "$work/relay" transfers events
	mix direct "$capture" | perl "$here/shovel.pl" >"$work/shoveler"
	last=$capture
	same "messages of ${capture##*/}" "$capture" "$work/shoveler" transfers events
	# leave out s1_iov: its datagrams went to another destination of the server in s1_files
	[ "${capture##*/}" = s1_iov.dgram ] || set -- "$@" "$capture"
done
[ $# -gt 4 ] || { echo "FAIL: only $# captures"; failed=1; }
mix direct "$@" >"$work/direct"
mix relay "$@" >"$work/relay"
same 'all of them' "$work/direct" "$work/relay" transfers events raw

# A port also accepts the shoveler's messages in UDP datagrams.
mix message "$here/s2_io_http.dgram" >"$work/message"
same 'messages by UDP' "$here/s2_io_http.dgram" "$work/message" transfers events

# A message may name a server by hostname instead of address.
sed 's/"remote":"[0-9.]*:/"remote":"cache1.example.org:/' "$work/shoveler" >"$work/named"
./nodometer-xrootd --read "$work/named" 2>"$work/log" | sed 's/cache1\.example\.org/127.0.0.1/g' |
	sort >"$work/got"
./nodometer-xrootd --read "$work/shoveler" 2>>"$work/log" | sort >"$work/want"
cmp "$work/want" "$work/got" || { cat "$work/log"; failed=1; }
./nodometer-xrootd --read "$work/named" --shovel 2>"$work/log" | grep -qv '"cache1.example.org:' &&
	{ echo 'FAIL: the name is lost'; failed=1; }

# With --map, the receiver gives a server the same name by the translated address of its datagrams.
./nodometer-xrootd --read "$work/shoveler" --map 192.0.2.0/24=other.example.org \
	--map 0.0.0.0/0,::/0=cache1.example.org 2>"$work/log" | sort >"$work/got"
./nodometer-xrootd --read "$work/named" 2>>"$work/log" | sort >"$work/want"
cmp "$work/want" "$work/got" || { cat "$work/log"; failed=1; }
grep -q '"server_ip":"cache1.example.org"' "$work/got" || { echo 'FAIL: not mapped'; failed=1; }

# --map also translates the address from which a firefly comes.
shoveled() {
	perl -MMIME::Base64 -e 'print "{\"remote\":\"127.0.0.1:7\",\"data\":\"",
		encode_base64("<134>1 - pod xrootd - firefly-json - {\"version\":1," .
			"\"flow-lifecycle\":{\"state\":\"start\",\"current-time\":\"$ARGV[0]\"," .
			"\"start-time\":\"$ARGV[0]\"},\"context\":{\"experiment-id\":3," .
			"\"activity-id\":14,\"application\":\"x\"},\"flow-id\":{\"afi\":\"ipv4\"," .
			"\"src-ip\":\"10.42.0.9\",\"dst-ip\":\"127.0.0.1\",\"protocol\":\"tcp\"," .
			"\"src-port\":23011,\"dst-port\":7}}", ""), "\"}\n"' \
		2020-01-01T00:00:00+00:00
	perl "$here/shovel.pl" <"$here/s2_io_http.dgram"
}
shoveled >"$work/flows"
for map in 192.0.2.0/24 0.0.0.0/0; do
	./nodometer-xrootd --read "$work/flows" --fireflies 10514 --map $map=cache1.example.org \
		2>"$work/log" | jq -c '[.file_id, .flow.dst_port]' | sort >"$work/flows.${map%.*}"
done
if ! grep -q ',7]' "$work/flows.192.0.2" || ! cmp "$work/flows.192.0.2" "$work/flows.0.0.0"; then
	echo 'FAIL: connections of a translated address'
	failed=1
fi

# Lines that are no messages are counted and ignored. A file without any message is refused.
{ echo '{"remote":"1.2.3.4:5","data":"PS4*"}'; cat "$work/shoveler"; echo '{"remote":'; } |
	./nodometer-xrootd --read - >"$work/lines" 2>"$work/log"
grep -q ' 2 of [0-9]* lines are not messages' "$work/log" || { cat "$work/log"; failed=1; }
same 'messages among others' "$last" "$work/shoveler" transfers
if echo '{}' | ./nodometer-xrootd --read - 2>"$work/log" ||
	! grep -q 'none of its lines' "$work/log"; then
	echo 'FAIL: no message at all is taken for some'
	failed=1
fi
[ "$lines" -gt 1000 ] || { echo "FAIL: only $lines lines"; failed=1; }
[ $failed = 1 ] || echo "$lines lines are the same through a relay"
exit $failed
