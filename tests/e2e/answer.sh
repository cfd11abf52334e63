#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# answer.sh - nodometer-answer tells the asker why there is no answer
. "$(dirname "$0")/lib.sh"

[ -x "$bin/nodometer-answer" ] || skip "nodometer-answer was not built"
perl -MSocket -e 1 2>/dev/null || skip 'no perl'

# asked FRAME: print the frames of the answer to FRAME, one per line
asked() {
	perl -MSocket -e '
		socketpair(my $ours, my $theirs, AF_UNIX, SOCK_STREAM, 0) or die "socketpair: $!";
		if (!fork) {
			open STDIN, "<&", $theirs or die "stdin: $!";
			close $ours;
			exec @ARGV[1 .. $#ARGV] or die "exec: $!";
		}
		close $theirs;
		alarm 30;
		syswrite $ours, pack("aN/a", "Q", $ARGV[0]);
		local $/;
		my $all = <$ours>;
		while (length $all) {
			my ($kind, $text) = unpack "aN/a", $all;
			print "$kind $text\n";
			$all = substr $all, 5 + length $text;
		}' "$1" "$bin/nodometer-answer" --config "$conf" 2>/dev/null
}

expect 0 nodometer collect
is 'the answer to no request' "$(asked junk)" "A $archive
E error that is no request"
is 'the answer to a request' "$(asked 'records - - -' | sed -n '1p; $p')" "A $archive
E ok "

# The program has dropped all privileges before it reads what the user sends.
capabilities() {
	perl -MSocket -e '
		socketpair(my $ours, my $theirs, AF_UNIX, SOCK_STREAM, 0) or die "socketpair: $!";
		my $pid = fork;
		if (!$pid) {
			open STDIN, "<&", $theirs or die "stdin: $!";
			exec @ARGV or die "exec: $!";
		}
		close $theirs;
		my $has = "none";
		for (my $i = 0; $i < 400 && $has !~ /^0*$/; $i++) {
			select undef, undef, undef, .01;
			open my $status, "<", "/proc/$pid/status" or last;
			($has) = map { /^CapEff:\s*(\S+)/ ? $1 : () } <$status>;
		}
		close $ours;
		waitpid $pid, 0;
		print "$has\n";' "$bin/nodometer-answer" --config "$conf" 2>/dev/null
}
is 'its capabilities' "$(capabilities)" 0000000000000000
