#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# work.sh - a small job that shows in every collector: it uses processor, memory, disk and loopback
#
# Usage: tests/work.sh FILE [SECONDS]. Writes FILE and removes it at the end. Needs only coreutils
# and, for the network part, perl, which automake also needs.
set -eu
file=$1
seconds=${2:-10}

# Send 64 kB at a time through 127.0.0.1, with pauses of a millisecond.
# shellcheck disable=SC2016 # variables of perl
loopback='
use IO::Socket::INET;
my $server = IO::Socket::INET->new(Listen => 1, LocalAddr => "127.0.0.1") or die "listen: $!";
my $until = time + shift;
if (!fork) {
	my $to = IO::Socket::INET->new("127.0.0.1:" . $server->sockport) or die "connect: $!";
	while (time < $until) {
		syswrite $to, "x" x 65536;
		select undef, undef, undef, 0.001;
	}
	exit;
}
my $from = $server->accept;
1 while sysread $from, my $data, 65536;
wait;
'

trap 'rm -f "$file"' EXIT
for _ in 1 2; do
	timeout "$seconds" sh -c 'while :; do :; done' &
done
timeout "$seconds" dd if=/dev/zero of=/dev/null bs=200M 2>/dev/null &
dd if=/dev/zero of="$file" bs=1M count=256 conv=fsync 2>/dev/null &
if command -v perl >/dev/null; then
	timeout "$((seconds + 5))" perl -e "$loopback" "$((seconds - 1))" &
else
	echo 'work.sh: no perl: nothing goes through the loopback device' >&2
fi
wait
