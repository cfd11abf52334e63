# SPDX-License-Identifier: BSD-3-Clause
# keep_posts.pl PORT FILE - a server that appends each body to FILE, and each answer to FILE.answers
#
# A body that matches the expression in FILE.refused, if that file exists, is refused. If FILE.busy
# exists, the next request is answered with a time to retry, in seconds. FILE.times has the time of
# each answer.
use strict; use IO::Socket::INET; use Time::HiRes 'time';
my ($port, $to) = @ARGV;
my $s = IO::Socket::INET->new(LocalAddr => '127.0.0.1', LocalPort => $port, Listen => 5,
	ReuseAddr => 1) or die;
sub add { my ($file, $text) = @_; open(my $f, '>>', $file) or die; print $f $text; close $f; }
sub refused {
	open(my $f, '<', "$to.refused") or return;
	chomp(my $what = <$f> // ''); $_[0] =~ /$what/;
}
while (my $c = $s->accept) {
	my $n = 0;
	while (1) {
		my $line = <$c>; last unless defined $line;
		$n = $1 if $line =~ /^content-length: (\d+)/i;
		next unless $line =~ /^\r?\n$/;
		read($c, my $body, $n) == $n or last;
		add("$to.times", time . "\n");
		if (open(my $f, '<', "$to.busy")) {
			chomp(my $rest = <$f>); unlink "$to.busy"; $n = 0;
			add("$to.answers", "503\n");
			print $c "HTTP/1.1 503 x\r\nRetry-After: $rest\r\nContent-Length: 0\r\n\r\n";
			$c->flush; next;
		}
		my $bad = refused($body);
		add($to, $body) unless $bad;
		add("$to.answers", $bad ? "400\n" : "204\n");
		print $c $bad ? "HTTP/1.1 400 x\r\nContent-Length: 13\r\n\r\nout of bounds" :
			"HTTP/1.1 204 x\r\n\r\n";
		$c->flush; $n = 0;
	}
}
