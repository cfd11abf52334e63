# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=sh
# mpxstats_lib.sh - what tests of nodometer mpxstats share: a receiver, packets, and its output
. "$(dirname "$0")/lib.sh"
port=$(free_port)
out=$scratch/out
mkdir -p "$scratch"
for_receivers "$scratch"

# listen OPTION...: start a receiver at $port
listen() {
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
# says WHAT LINES WANT: wait until the output has LINES lines; fail unless it then equals WANT
says() {
	wait_until 10 lines "$2"
	is "$1" "$(cat "$out")" "$3"
}
