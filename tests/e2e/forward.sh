#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# forward.sh - nodometer xrootd forwards datagrams with the source address of their original sender
. "$(dirname "$0")/lib.sh"
command -v ip >/dev/null && unshare -n true 2>/dev/null || skip 'no network namespace can be made'
perl -MSocket=inet_ntop,AF_INET6 -e 1 2>/dev/null || skip 'this perl knows no IPv6'
mkdir -p "$scratch"

# Use a network namespace whose small MTU requires fragmentation.
unshare -n perl -MSocket=:all -MDigest::MD5=md5_hex -e '
	$| = 1;
	system("ip link set lo up mtu 1504") and die;	# fragments have multiples of 8 bytes
	my ($capture, $bin, $log) = @ARGV;
	sub listen_at {
		my ($port) = @_;
		socket(my $s, PF_INET6, SOCK_DGRAM, 0) or die;
		setsockopt($s, SOL_SOCKET, SO_RCVBUF, 4 << 20);
		bind($s, pack_sockaddr_in6($port, IN6ADDR_ANY)) or die "bind: $!";
		return $s;
	}
	sub show {
		my ($s) = @_;
		my $from = recv($s, my $d, 65536, 0) or die "nothing came: $!";
		my ($port, $ip) = unpack_sockaddr_in6($from);
		print inet_ntop(AF_INET6, $ip), ":$port ", length $d, " ", md5_hex($d), "\n";
	}
	$SIG{ALRM} = sub { die "nothing came" };
	alarm 60;
	my $s = listen_at(9001);
	# Write a capture with datagrams of many sizes from two sources.
	open(my $f, ">:raw", $capture) or die;
	print $f "XDGRAM1\n";
	my @sizes = (24, 1472, 1476, 1477, 1484, 9000, 60001, 65507);
	for my $n (@sizes) {
		my $d = pack("aCnN", "g", $n % 256, $n, 5) .
			join("", map { chr(33 + $_ * $n % 90) } 9 .. $n);
		print $f pack("Q>C4nnNN", 1, 10, 9, $n % 2, 7, 5000 + $n % 100, 9930, $n, 0), $d;
		print "::ffff:10.9.", $n % 2, ".7:", 5000 + $n % 100, " $n ", md5_hex($d), "\n";
	}
	close $f;
	print "--\n";
	system("$bin/nodometer-xrootd --read $capture --forward 127.0.0.1:9001 2>>$log") and die;
	show($s) for @sizes;
	print "--\n";
	# Forward over IPv6, which requires checksums and fragments datagrams in its own way.
	my $pid = fork() // die;
	exec("$bin/nodometer-xrootd", "-p", 9002, "--forward", "[::1]:9001") unless $pid;
	for (1 .. 100) {
		open(my $ports, "<", "/proc/net/udp6") or die;
		last if grep { /:232A / } <$ports>;
		select(undef, undef, undef, 0.1);
	}
	socket(my $c, PF_INET6, SOCK_DGRAM, 0) or die;
	bind($c, pack_sockaddr_in6(4321, inet_pton(AF_INET6, "::1"))) or die;
	# sums_to_0: change a datagram so that its UDP checksum is 0. It must be sent as 0xffff,
	# because 0 means "no checksum", which IPv6 drops.
	sub sums_to_0 {
		my ($d) = @_;
		my $sum = 17 + 10 + length $d;
		$sum += $_ for unpack("n*", inet_pton(AF_INET6, "::1") x 2 .
			pack("nnnn", 4321, 9001, 10 + length $d, 0) . $d);
		$sum = ($sum & 0xffff) + ($sum >> 16) while $sum >> 16;
		return $d . pack("n", 0xffff - $sum);
	}
	for my $n (24, 1231, 4001, 40000, 26) {
		my $d = pack("aCnN", "g", $n % 256, $n, 5) . "x" x ($n - 8);
		$d = sums_to_0(substr($d, 0, 24)) if $n == 26;
		send($c, $d, 0, pack_sockaddr_in6(9002, inet_pton(AF_INET6, "::1"))) == $n or die;
		print "::1:4321 $n ", md5_hex($d), "\n";
		show($s);
	}
	kill "TERM", $pid;
	waitpid($pid, 0);' "$scratch/capture" "$bin" "$scratch/notes" >"$scratch/seen" 2>>"$log" ||
	fail 'inside'
awk '/^--$/ { part++; next } { print >"'"$scratch"'/part" part + 0 }' "$scratch/seen"
sort "$scratch/part0" >"$scratch/sent"
sort "$scratch/part1" >"$scratch/came"
diff "$scratch/sent" "$scratch/came" >"$scratch/diff" || fail "IPv4: $(cat "$scratch/diff")"
is 'datagrams of IPv4' "$(wc -l <"$scratch/came")" 8
is 'datagrams of IPv6' "$(sort "$scratch/part2" | uniq -c | awk '$1 == 2' | wc -l)" 5
grep -q "8 datagrams sent on to 127.0.0.1:9001, 0 could not be, 0 were of" "$scratch/notes" ||
	fail "not said: $(cat "$scratch/notes")"

# Forwarding to the receiver's own port would loop and is refused, also if systemd opened the
# socket. A capture can be forwarded to a receiver on this host. A missing right to set the source
# address is reported.
port=$(free_port)
expect 2 "$bin/nodometer-xrootd" -p "$port" --forward "127.0.0.1:$port" 2>"$scratch/said"
grep -q 'this program itself receives there' "$scratch/said" || fail "$(cat "$scratch/said")"
expect 2 timeout 20 perl -MSocket -MPOSIX= -e '$^F = 3; POSIX::close(3);
	socket(my $s, PF_INET, SOCK_DGRAM, 0) or die;
	fileno($s) == 3 && bind($s, pack_sockaddr_in($ARGV[0], INADDR_ANY)) or die;
	@ENV{"LISTEN_PID", "LISTEN_FDS"} = ($$, 1);
	exec($ARGV[1], "--forward", "127.0.0.1:$ARGV[0]")' "$port" "$bin/nodometer-xrootd" \
	2>"$scratch/said"
grep -q 'this program itself receives there' "$scratch/said" || fail "$(cat "$scratch/said")"
expect 0 unshare -n sh -c 'ip link set lo up && exec "$@"' sh "$bin/nodometer-xrootd" \
	--read "$scratch/capture" -p 9930 --forward 127.0.0.1:9930 2>>"$log"
expect 1 "$bin/nodometer-xrootd" -p 9930 --forward 127.0.0.1 2>"$scratch/said"
grep -q 'not HOST:PORT' "$scratch/said" || fail "$(cat "$scratch/said")"
if command -v setpriv >/dev/null; then
	expect 1 setpriv --bounding-set=-net_raw --inh-caps=-net_raw "$bin/nodometer-xrootd" \
		--read "$scratch/capture" --forward 127.0.0.1:9001 2>"$scratch/said"
	grep -q 'needs CAP_NET_RAW' "$scratch/said" || fail "$(cat "$scratch/said")"
fi
