# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=sh
# receiver_lib.sh - what tests of the receiver of XRootD's datagrams share: start and end the
# receiver, and send as a server
. "$(dirname "$0")/lib.sh"
port=$(free_port)
s2=$srcdir/tests/tracers/s2_io_http.dgram	# a capture of accesses over HTTP
mkdir -p "$scratch"
for_receivers "$scratch"

# receive OPTIONS...: start nodometer xrootd as a receiver at $port
receive() {
	"$bin/nodometer-xrootd" -p "$port" --bind 127.0.0.1 "$@" 2>>"$log" 3>&- &
	receiver=$!
	pids="$pids $receiver"
}

end_receiver() { end_program 60 "$receiver" "the receiver"; }

# more_than LINES FILE: succeed if FILE has more than LINES lines
more_than() { [ "$(wc -l <"$2")" -gt "$1" ]; }

# server_says: send the identification of an XRootD server that was started at time 1, a datagram of
# 64 bytes
server_says() {
	perl -MSocket -e 'socket(my $s, PF_INET, SOCK_DGRAM, 0) or die;
		send($s, "=\0\0\100\0\0\0\1\0\0\0\0vm.1:2\@h\n" .
			"&pgm=xrootd&ver=5.5&inst=a&port=1094&site=X", 0,
			pack_sockaddr_in($ARGV[0], INADDR_LOOPBACK)) == 64 or die' "$port" ||
		fail 'no datagram'
}

# play FROM TO: send the datagrams of the capture with these numbers
source=$(free_port)
play() {
	perl -MSocket -e 'my ($file, $from, $to, $port, $own_port) = @ARGV;
		socket(my $s, PF_INET, SOCK_DGRAM, 0) or die;
		bind($s, pack_sockaddr_in($own_port, INADDR_LOOPBACK)) or die;
		open(my $f, "<:raw", $file) or die;
		read($f, my $head, 8);
		for (my $i = 0; read($f, $head, 24) == 24; $i++) {
			read($f, my $data, unpack("x16N", $head));
			next if $i < $from || $i >= $to;
			send($s, $data, 0, pack_sockaddr_in($port, INADDR_LOOPBACK)) or die;
			select(undef, undef, undef, 0.001);
		}' "$s2" "$1" "$2" "$port" "$source" ||
		fail 'no datagrams'
}

# told_of FILE: print the records of transfers, sorted, without values that differ between runs
told_of() { jq -cS 'del(.serverID)' "$@" | sort; }
