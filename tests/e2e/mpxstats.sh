#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# mpxstats.sh - nodometer mpxstats on its ports: each output format, and the original's output
. "$(dirname "$0")/lib.sh"
port=$(free_port)
out=$scratch/out
captures=${NODOMETER_SHARED:-$srcdir/../shared}/data/xrootd/captures
mkdir -p "$scratch"
for_receivers "$scratch"

listen() {	# OPTION...
	rm -f "$out"
	"$bin/nodometer-mpxstats" -p "$port" -o "$out" "$@" 2>"$log" 3>&- &
	receiver=$!
	pids="$pids $receiver"
	wait_until 10 test -e "$out"
}
end_receiver() { end_program 10 "$receiver" "the receiver"; }
# send [PORT [FAMILY]]: send each line of hexadecimal digits on standard input as a packet
send() {
	perl -MSocket=:all -e 'my ($port, $six) = @ARGV;
		socket(my $s, $six ? PF_INET6 : PF_INET, SOCK_DGRAM, 0) or die $!;
		my $to = $six ? pack_sockaddr_in6($port, inet_pton(AF_INET6, "::1"))
			      : pack_sockaddr_in($port, INADDR_LOOPBACK);
		while (<STDIN>) {
			chomp;
			defined send($s, pack("H*", $_), 0, $to) or die $!;
			select(undef, undef, undef, 0.002);
		}' "${1:-$port}" "${2-}" || fail 'not sent'
}
hex() { perl -e 'print unpack("H*", $ARGV[0]), "\n"' "$1"; }
lines() { [ "$(wc -l <"$out")" -ge "$1" ]; }
large() { [ "$(wc -c <"$out")" -ge "$1" ]; }
says() {	# WHAT LINES WANT: the output, once it has so many lines
	wait_until 10 lines "$2"
	is "$1" "$(cat "$out")" "$3"
}

packet='<statistics tod="7" src="h:1" pgm="xrootd"><stats id="x"><a>12</a></stats></statistics>'

listen -f flat
hex "$packet" | send
says flat 5 'tod 7
src h:1
pgm xrootd
x.a 12'
mv "$out" "$out.1"
kill -HUP "$receiver"
wait_until 10 test -e "$out"
hex 'no packet' | send
hex "$packet" | send
wait_until 10 lines 5
cmp "$out" "$out.1" || fail 'after SIGHUP'
end_receiver
grep -q 'a packet of 9 bytes from .*127.0.0.1 was left out: ' "$log" ||
	fail 'rubbish is not reported'

second=$(free_port)
listen -f cgi -s -p "$second"
six=$([ ! -s /proc/net/if_inet6 ] || echo six)
hex "$packet" | send "$second" "$six"
wait_until 10 lines 1
grep -Eqx 'tod=7&src=h:1&pgm=xrootd&host=[^&]+&x.a=12' "$out" || fail "cgi: $(cat "$out")"
end_receiver

if grep -q '^#define HAVE_EXPAT' config.h; then
	listen -f cgi
	hex '<statistics tod="7"><stats id="x"><a>1&amp;2</a></stats></statistics>' | send
	says 'a value with &' 1 'tod=7&x.a=1%262'
	end_receiver
fi

listen
hex "$packet" | send
says xml 1 "$packet"
end_receiver

# Newer servers send sets of counters as JSON.
listen -f flat --site
hex '{"statistics":{"tod":7,"src":"h:1","site":"S","stats_http":{"response":{"200":5}}}}' | send
says JSON 5 'tod 7
src h:1
site S
http.response.200 5'
end_receiver

# The program is ended while packets arrive.
listen -f flat
flood "$port" '<statistics tod="1"></statistics>'
wait_until 10 test -s "$out"
end_receiver
end_flood

# Called by the name of XRootD's program; --keys prints the meaning of keys.
ln -s "$bin/nodometer" "$scratch/mpxstats"
"$scratch/mpxstats" --keys >"$scratch/keys" || fail 'not as mpxstats'
is 'a key' "$(grep -E '^link\.in ' "$scratch/keys" | tr -s ' ')" 'link.in int64 counter B received'
expect 2 "$scratch/mpxstats" -f flat 2>/dev/null

expect 2 "$bin/nodometer-mpxstats" 2>/dev/null
expect 2 "$bin/nodometer-mpxstats" -p 65537 2>/dev/null
expect 2 "$bin/nodometer-mpxstats" -p 1 -f json 2>/dev/null

[ -d "$captures" ] && command -v jq >/dev/null || {
	echo 'the captures are not here, or jq: not compared with the original'
	exit 0
}

# Compare with the original's output for the same packets; its sender names are from another
# machine.
packets() {
	perl -e 'local $/; $_ = <>; s/^XDGRAM1\n// or die; my $at = 0;
		while ($at < length) {
			my $n = unpack("N", substr($_, $at + 16, 4));
			print unpack("H*", substr($_, $at + 24, $n)), "\n";
			$at += 24 + $n;
		}' "$captures/dev/summary.dgram"
}
no_hosts() { sed -E 's/^host .*/host/; s/&host=[^&]*&/\&host=\&/' "$1"; }
for form in xml flat cgi flat-s cgi-s; do
	want=$captures/dev/summary.mpxstats.$form.txt
	case $form in
	*-s) listen -s -f "${form%-s}" ;;
	*) listen -f $form ;;
	esac
	packets | send
	wait_until 20 lines "$(wc -l <"$want")"
	end_receiver
	no_hosts "$want" >"$scratch/want"
	no_hosts "$out" | cmp - "$scratch/want" || fail "not the original's $form"
done

# Malformed packets with --compat: compare the length and the first bytes of the original's output.
quirks=$captures/synthetic_quirks
for form in xml flat cgi 'flat -d'; do
	jq -r --arg form "$form" 'select(([.fmt] + .opt | join(" ")) == $form) |
		[.outlen, (.out | @base64), .case] | @tsv' "$quirks/mpxstats_quirks.jsonl" \
		>"$scratch/want"
	# shellcheck disable=SC2086 # words
	listen --compat -f $form
	jq -r .hex "$quirks/packets.jsonl" | send
	wait_until 20 large "$(awk '{ n += $1 } END { print n }' "$scratch/want")"
	end_receiver
	perl -MMIME::Base64 -e 'my $out = shift; open(my $f, "<", $out) or die; local $/; $_ = <$f>;
		for my $line (split /\n/, <STDIN>) {
			my ($n, $begin, $case) = split /\t/, $line;
			my $ours = substr($_, 0, $n, "");
			$begin = decode_base64($begin);
			substr($ours, 0, length $begin) eq $begin or
				die "$case: $ours, not $begin\n";
		}
		$_ eq "" or die "and this: $_\n"' "$out" <"$scratch/want" || fail "$form differs"
done
echo 'the same as the original, in 9 forms'
