#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# receiver_page.sh - nodometer xrootd --listen serves a page with the receiver's own counts
. "$(dirname "$0")/lib.sh"
grep -q '^#define HAVE_MICROHTTPD' config.h || skip 'built without libmicrohttpd'
port=$(free_port)
web=$(free_port)
mkdir -p "$scratch"
for_receivers "$scratch"

# request PORT [TEXT]: send the request TEXT, print the answer, for GET /metrics without its head
request() {
	perl -MIO::Socket::INET -e 'alarm 60;
		my $s = IO::Socket::INET->new(PeerAddr => "127.0.0.1:$ARGV[0]") or die;
		print $s "$ARGV[1] HTTP/1.1\r\nHost: n1\r\nConnection: close\r\n\r\n";
		local $/;
		my $all = <$s>;
		$all =~ s/^.*?\r\n\r\n//s if $ARGV[1] eq "GET /metrics";
		print $all;' "$1" "${2:-GET /metrics}"
}

# value SERIES: print the value of the series nodometer_receiver_SERIES on the page; SERIES is a
# text, not a pattern
value() {
	awk -v name="nodometer_receiver_$1" 'substr($0, 1, length(name) + 1) == name " " {
		print substr($0, length(name) + 2)
	}' "$scratch/page"
}

page() { request "$web" >"$scratch/page.new" && mv "$scratch/page.new" "$scratch/page"; }
says() { page && [ "$(value "$1")" = "$2" ]; }

# Wrong options are refused before anything is opened.
refused() {	# PATTERN OPTIONS...
	pattern=$1
	shift
	expect 2 nodometer xrootd "$@" 2>"$scratch/said"
	grep -q -- "$pattern" "$scratch/said" || fail "$*: $(cat "$scratch/said")"
}
refused '--plain' -p "$port" --listen "0.0.0.0:$web"
refused 'expected ADDRESS:PORT' -p "$port" --listen "localhost:$web"
refused '--listen cannot be used with --read' --read /dev/null --listen "127.0.0.1:$web"
refused '--plain needs --listen' -p "$port" --plain

# Convert datagrams of another server to messages of a shoveler.
"$bin/nodometer-xrootd" --read "$srcdir/tests/tracers/s3_min_redirlocal.dgram" \
	--shovel "$scratch/messages" 2>>"$log" || fail 'no messages'
n=$(wc -l <"$scratch/messages")
mkfifo "$scratch/pipe"
"$bin/nodometer-xrootd" -p "$port" --bind 127.0.0.1 --messages --listen "127.0.0.1:$web" \
	--allow 127.0.0.0/8,192.0.2.0/24,::1 --transfers "$scratch/out" --final \
	<"$scratch/pipe" 2>"$scratch/counts" 3>&- &
receiver=$!
pids="$pids $receiver"
exec 4>"$scratch/pipe"
wait_until 60 bound "$port"

# The receiver does not run as root, has no threads, and can accept connections but not make any.
[ "$(id -u)" != 0 ] || is 'user' "$(of "$receiver" Uid | cut -f 1)" 65534
is 'threads' "$(of "$receiver" Threads)" 1
! grep -q '^#define HAVE_LINUX_SECCOMP_H' config.h || wait_until 60 filtered "$receiver"

# A client of the page that sends nothing, or no valid request, does not delay other clients.
perl -MIO::Socket::INET -e 'my @s = map { IO::Socket::INET->new(PeerAddr => "127.0.0.1:$ARGV[0]") }
	1 .. 3; print { $s[0] } "GET /met"; print { $s[1] } "\0\xff" x 5000; sleep 30' \
	"$web" 3>&- 4>&- &
idle=$!
pids="$pids $idle"
wait_until 60 says datagrams_total 0

cat "$scratch/messages" >&4
wait_until 60 says messages_total "$n"
# A server sends four datagrams, of which the third is lost; each has an access that read 1000 bytes
# and wrote 7. Three more datagrams come from no XRootD server.
source=$(free_port)
perl -MSocket -e 'socket(my $s, PF_INET, SOCK_DGRAM, 0) or die;
	bind($s, pack_sockaddr_in($ARGV[1], INADDR_LOOPBACK)) or die "bind: $!";
	sub to_port { send($s, $_[0], 0, pack_sockaddr_in($ARGV[0], INADDR_LOOPBACK)) or die }
	my $who = "vm.1:2\@h\n&pgm=xrootd&ver=v5.5.3&inst=a&port=1094&site=X";
	to_port(pack("aCnNN", "=", 0, 12 + length $who, 77, 0) . $who);
	for my $i (0, 1, 3) {
		my $path = "/f$i" . "\0" x 5;
		my $all = pack("CCnNQ>N", 1, 3, 20 + length $path, 100 + $i, 5000, 9) . $path .
			pack("CCnNQ>Q>Q>", 0, 0, 32, 100 + $i, 600, 400, 7);
		to_port(pack("aCnN", "f", $i, 32 + length $all, 77) .
			pack("CCnnnNNQ>", 2, 1, 24, 0, 2, 1700000000, 1700000005, 2) . $all);
	}
	to_port("x" x 9) for 1 .. 3' "$port" "$source" || fail 'no datagram'
wait_until 60 says datagrams_total $((n + 7))
wait_until 60 says damaged_total 3
server='{server="h:1094",address="127.0.0.1"}'
wait_until 60 says "server_lost_total$server" 1
wait_until 60 says "server_read_bytes_total$server" 3000
is 'written' "$(value "server_written_bytes_total$server")" 21
is 'datagrams of the server' "$(value "server_datagrams_total$server")" 4
is 'gaps' "$(value "server_gaps_total$server")" 1
is 'open files' "$(value "server_open_files$server")" 0
is 'refused' "$(value refused_total)" 0
is 'dropped' "$(value dropped_total)" 0
is 'bad messages' "$(value bad_messages_total)" 0
is 'waiting' "$(value "output_waiting_bytes{output=\"$scratch/out\"}")" 0
is 'queue' "$(value queue_bytes)" 0
[ "$(value queue_limit_bytes)" -gt 4096 ] || fail "queue_limit_bytes: $(value queue_limit_bytes)"
is 'the end' "$(tail -n 1 "$scratch/page")" '# EOF'

# Each series follows its HELP and TYPE lines; no series appears twice.
awk '/^# HELP/ { help[$3] = 1 } /^# TYPE/ { type[$3] = $4 }
	/^[^#]/ {
		family = $1
		sub(/[{].*/, "", family)
		base = family
		sub(/_total$/, "", base)
		if (!help[base] || type[base] != (base == family ? "gauge" : "counter"))
			print "no HELP or TYPE: " $0
		if (seen[$0 ~ /[{]/ ? $0 : $1]++)
			print "twice: " $0
	}' "$scratch/page" >"$scratch/wrong"
[ ! -s "$scratch/wrong" ] || fail "$(cat "$scratch/wrong")"

# The lost datagram arrives late. The receiver now knows that nothing is lost, but the page's
# counter of losses must not fall.
perl -MSocket -e 'socket(my $s, PF_INET, SOCK_DGRAM, 0) or die;
	bind($s, pack_sockaddr_in($ARGV[1], INADDR_LOOPBACK)) or die "bind: $!";
	send($s, pack("aCnN", "f", 2, 32, 77) .
		pack("CCnnnNNQ>", 2, 1, 24, 0, 0, 1700000000, 1700000005, 2), 0,
		pack_sockaddr_in($ARGV[0], INADDR_LOOPBACK)) or die' "$port" "$source" ||
	fail 'no datagram'
wait_until 60 says "server_datagrams_total$server" 5
is 'lost' "$(value "server_lost_total$server")" 1

# Sums of the page's counters over all servers equal the sums that the receiver logs when it ends.
sum() {
	awk -v name="nodometer_receiver_server_$1{" 'index($0, name) == 1 { sum += $NF }
		END { print sum + 0 }' "$scratch/page"
}
request "$web" 'GET /other' >"$scratch/other"
grep -q '^HTTP/1.1 404' "$scratch/other" || fail "/other: $(cat "$scratch/other")"
page
exec 4>&-
wait_until 60 gone "$receiver"
wait "$receiver" || fail "exit status $?: $(cat "$scratch/counts")"
forget "$receiver"
said() { sed -n "s/.* \([0-9]*\) $1.*/\1/p" "$scratch/counts" | tail -n 1; }
is 'lost' "$(sum lost_total)" $(($(said 'lost, [0-9]* out of order') + 1))
is 'datagrams of servers' "$(sum datagrams_total)" $((n + 5))

# --listen with an address that another program uses is refused.
perl -MIO::Socket::INET -e '$s = IO::Socket::INET->new(LocalAddr => "127.0.0.1:$ARGV[0]",
	Listen => 1) or die; sleep 60' "$port" 3>&- &
other=$!
pids="$pids $other"
listens() { grep -qi ":$(printf %04X "$port") 00000000:0000 0A" /proc/net/tcp; }
wait_until 60 listens
expect 1 nodometer xrootd -p "$port" --listen "127.0.0.1:$port" 2>"$scratch/said"
grep -q 'Address already in use' "$scratch/said" || fail "said: $(cat "$scratch/said")"
