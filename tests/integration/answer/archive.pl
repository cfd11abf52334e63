# SPDX-License-Identifier: BSD-3-Clause
# archive.pl DIR START HOSTS NODES - write an archive of HOSTS hosts, where jobs of two users share
# nodes
#
# Samples are ten minutes apart, with a file for each day. Each row and mark that belongs to a
# single run contains the word "of_" and the name of the run's user, or the user's number. Job
# 4711009 runs on the last NODES hosts.
use strict;
use warnings;

my ($dir, $start, $hosts, $nodes) = @ARGV;
my %uid = (anna => 2001, ben => 2002);
# Each run: id, user, text of its marks, first and last host, begin and end (numbers of samples; 0:
# it still runs).
my @runs = (
	['100',   'anna', 'uid=2001 user=anna', 1, 2, 2, 20],
	['101',   'ben',  'uid=2002 user=ben', 1, 1, 5, 15],
	['100',   'ben',  'uid=2002 user=ben', 1, 2, 30, 40],		# the id is used again
	['102',   'anna', 'uid=2001 user=anna', 1, 2, 130, 160],		# over midnight
	['103',   'ben',  '', 1, 1, 30, 40],				# the marks name no user
	['104',   'ben',  'uid=2001 user=ben', 1, 1, 50, 60],		# anna's number was ben's
	['105_1', 'anna', 'uid=2001 user=anna', 2, 2, 70, 75],
	['105_2', 'ben',  'uid=2002 user=ben', 2, 2, 70, 75],
	['106',   'anna', 'uid=2001 user=anna', 1, 1, 165, 0],
	['107',   'ben',  'uid=2002 user=ben', 1, 1, 165, 0],
	['../108', 'ben', 'uid=2002 user=ben', 1, 1, 80, 85],
	['%n109', 'ben',  'uid=2002 user=ben', 1, 1, 80, 85],
	['110',   'anna', 'uid=2001 user=anna', 1, 1, 90, 100],		# requeued as ben's at once
	['110',   'ben',  'uid=2002 user=ben', 1, 1, 100, 110],
	['4711009', 'anna', 'uid=2001 user=anna', $hosts - $nodes + 1, $hosts, 20, 120],
);

sub header {
	my ($host) = @_;
	return "\$hpcperfstats 1.0.2\n\$hostname $host.test\n\$agent nodometer 0.1.0\n" .
		"!cpu user,E,U=cs nice,E,U=cs system,E,U=cs idle,E,U=cs\n" .
		"!job cpu,E,U=us mem,U=B pids\n!nodometer cpu,U=ns bytes,U=B rows errors stalls\n" .
		"!proc Uid VmRSS,U=kB\n!strange x\n";
}

sub group {
	my ($host, $n) = @_;
	my ($marks, $rows, @jobs, %named) = ('', '');
	for my $r (@runs) {
		my ($id, $user, $words, $first, $last, $from, $to) = @$r;
		next if $host < $first || $host > $last || $n < $from || ($to && $n > $to);
		push @jobs, $id unless $named{$id}++;
		$marks .= "%begin $id source=hook $words name=of_$user\n" if $n == $from;
		$marks .= "%end $id source=hook name=of_$user\n" if $to && $n == $to;
		$rows .= "job $id " . 600000000 * ($n - $from) . " $uid{$user} 1\n"
			if $named{$id} == 1;
		$rows .= "proc of_$user/$n/0/0 $uid{$user} 100\n";
	}
	$marks .= "%of_ben wrote this\n" if $n == 10;
	my $text = '';
	$text .= "cpu $_ " . 30000 * $n . " 0 " . 100 * $n . " " . 30000 * $n . "\n" for 0 .. 63;
	$text .= $rows . "strange of_ben 1\n";
	my $count = ($text =~ tr/\n//) + 1;
	return sprintf("\n%d %s\n%s%snodometer - 1 1 %d 0 0\n", $start + 600 * $n,
		       @jobs ? join(',', @jobs) : '-', $marks, $text, $count);
}

for my $host (1 .. $hosts) {
	my $to = sprintf('%s/n%03d', $dir, $host);
	mkdir $to or die "$to: $!";
	for my $day (0, 1) {
		my $epoch = $start + 144 * 600 * $day;
		open(my $f, '>', "$to/$epoch") or die "$to/$epoch: $!";
		print $f header(sprintf('n%03d', $host));
		print $f group($host, $_) for 144 * $day .. ($day ? 180 : 143);
		close($f) or die "$to/$epoch: $!";
		link("$to/$epoch", "$to/current") if $day;
	}
}
