#!/usr/bin/perl
# SPDX-License-Identifier: BSD-3-Clause
# rogue.pl - answer each query at a port in a way that ClickHouse never does: rogue.pl PORT WHAT
use strict;
use warnings;
use IO::Socket::INET;
$SIG{PIPE} = 'IGNORE';

sub text { pack('w/a*', $_[0]) }	# for texts shorter than 128 bytes
sub span { text($_[0]) . pack('q<q<', 1_700_000_000_000_000, 1_700_000_600_000_000) }

# Make a text of N bytes. Its length comes first, in bytes of seven bits each, lowest bits first.
sub long_text
{
	my $n = shift;
	my $b = '';
	for (my $left = $n; ; $left >>= 7) {
		$b .= chr(($left & 127) | ($left > 127 ? 128 : 0));
		last if $left <= 127;
	}
	return $b . 'x' x $n;
}

my %answer = (
	cut     => sub { $_[0]->(substr(span('n1'), 0, 10)) },
	garbage => sub { $_[0]->("Code: 241. DB::Exception: Memory limit exceeded\n") },
	endless => sub { $_[0]->("\x80\x80\x80\x01" . 'x' x 4096); while ($_[0]->('x' x 65536)) { } },
	hosts   => sub { my $i = 0; while ($_[0]->(join('', map { span('n' . $i++) } 1 .. 1000))) { } },
	order   => sub { $_[0]->(span('n1') . span('n2') . span('n1')) },
	head    => sub {
		return $_[0]->(span('n1')) if $_[1] =~ /job_days/;
		my $head = text('n1') . text('0') . long_text(1 << 20);
		while ($_[0]->($head)) { }
	},
);
my ($port, $what) = @ARGV;
my $listen = IO::Socket::INET->new(LocalAddr => '127.0.0.1', LocalPort => $port, Listen => 5,
	ReuseAddr => 1) or die "port $port: $!";
while (my $c = $listen->accept) {
	my $request = '';
	while ($request !~ /\r\n\r\n/) {
		sysread($c, $request, 4096, length $request) or last;
	}
	my ($length) = $request =~ /Content-Length: (\d+)/i;
	my $body = $request =~ s/.*?\r\n\r\n//sr;
	while (length $body < $length) {
		sysread($c, $body, 4096, length $body) or last;
	}
	print $c "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n";
	$c->flush;
	$answer{$what}->(sub { defined syswrite($c, $_[0]) }, $body);
	close $c;
}
