# SPDX-License-Identifier: BSD-3-Clause
# rogue_broker.pl STEP - an AMQP broker that answers correctly up to STEP, and then sends a broken
# frame and many more bytes. The first line that it prints is its port.
use strict;
use warnings;
use Socket qw(:all);

# Read as the header of a frame, these 20 bytes have the length 0x41414141, above the agreed limit.
my $broken = 'A' x 20;
my $rest = "\1\0\1" x 40_000;

sub method { my ($channel, $class, $id, $args) = @_;
	my $body = pack('nn', $class, $id) . $args;
	return pack('CnN', 1, $channel, length $body) . $body . "\xce";
}
my @answers = (
	method(0, 10, 10, pack('CC N N/a N/a', 0, 9, 0, 'PLAIN', 'en_US')),	# start
	method(0, 10, 30, pack('nNn', 1, 131072, 60)),	# tune
	method(0, 10, 41, "\0"),		# open-ok
	method(1, 20, 11, pack('N', 0)),	# channel.open-ok
	method(1, 85, 11, ''),			# confirm.select-ok
	method(1, 60, 80, pack('Q>C', 1, 0)),	# basic.ack
);
# The client's last message before each step; tune-ok and open come together.
my @ends = (undef, undef, qr/\0\x0a\0\x28/, qr/\0\x14\0\x0a/, qr/\0\x55\0\x0a/, qr/\0\x3c\0\x28/);

my $step = $ARGV[0] // -1;
socket(my $s, PF_INET, SOCK_STREAM, 0) or die "$!";
bind($s, pack_sockaddr_in(0, inet_aton('127.0.0.1'))) && listen($s, 8) or die "$!";
$| = 1;
print +(unpack_sockaddr_in(getsockname $s))[0], "\n";
$SIG{PIPE} = 'IGNORE';
while (accept(my $c, $s)) {
	for my $at (0 .. $#answers) {
		my $got = '';
		do {
			sysread($c, $got, 65536, length $got) or last;
		} until !$ends[$at] || $got =~ $ends[$at];
		if ($at == $step) {
			syswrite($c, $broken);
			select(undef, undef, undef, 0.2);	# a read of its own
			syswrite($c, $rest);
		}
		syswrite($c, $answers[$at]);
	}
	1 while sysread($c, my $ignored, 65536);
	close $c;
}
