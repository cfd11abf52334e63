# SPDX-License-Identifier: BSD-3-Clause
# ask.pl REQUEST... - send each request to nodometer-answer, and print the hosts, data and ends of
# the answers
use strict;
use warnings;
use Socket;

sub take {
	my ($s, $n) = @_;
	my $bytes = '';
	while (length($bytes) < $n) {
		sysread($s, $bytes, $n - length($bytes), length($bytes)) or return;
	}
	return $bytes;
}

for my $request (@ARGV) {
	socket(my $s, AF_UNIX, SOCK_STREAM, 0) or die "socket: $!";
	connect($s, pack_sockaddr_un('/run/nodometer/answer')) or die "connect: $!";
	$SIG{PIPE} = 'IGNORE';
	syswrite($s, 'Q' . pack('N', length($request)) . $request);
	while (defined(my $head = take($s, 5))) {
		my ($kind, $n) = unpack('aN', $head);
		my $bytes = take($s, $n);
		print "$kind " unless $kind eq 'D';
		print $bytes // 'cut';
		print "\n" unless $kind eq 'D';
	}
}
