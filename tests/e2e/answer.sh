#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# answer.sh - nodometer-answer reports to its client why there is no answer
. "$(dirname "$0")/lib.sh"

[ -x "$bin/nodometer-answer" ] || skip "nodometer-answer was not built"
perl -MSocket -e 1 2>/dev/null || skip 'no perl'

# answer_to FRAME [PREFIX...]: send FRAME to nodometer-answer, and print the frames of its answer,
# one per line. The command PREFIX starts the program, as the user in $as.
as=
answer_to() {
	frame=$1
	shift
	# shellcheck disable=SC2086 # a command and its words
	$as perl -MSocket -e '
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
		}' "$frame" "$@" "$bin/nodometer-answer" --config "$conf" 2>/dev/null
}

expect 0 nodometer collect
is 'the answer to no request' "$(answer_to junk)" "A $archive
E error invalid request"
is 'the answer to a request' "$(answer_to 'records - - -' | sed -n '1p; $p')" "A $archive
E ok "

# Marks contain the backslash of a Windows domain user's name in escaped form. Ask as an ordinary
# user, because root sees all runs.
domain_user() {
	case "${SAN:-}" in *sanitize*) return ;; esac
	# shellcheck disable=SC2086 # a compiler and its words
	${CC:-cc} -shared -fPIC -o "$scratch/names.so" "$srcdir/tests/e2e/names_shim.c" || return
	as=
	[ "$(id -u)" != 0 ] || as='setpriv --reuid 65534 --regid 65534 --clear-groups'
	mkdir -p "$archive/n9" || exit 99
	{
		printf '$hpcperfstats 2.3.5\n$hostname n9\n!mem a,U=KB\n'
		printf '\n1700000000 71\n%%begin 71 user=DOMAIN\\134ann\nmem 0 1\n'
		printf '\n1700000600 71\n%%end 71\nmem 0 2\n'
	} >"$archive/n9/1700000000"
	chmod 755 "$archive" "$archive/n9" && chmod 644 "$archive/n9/1700000000" "$conf" || exit 99
	user=$1
	answer_to 'records - - 71' env LD_PRELOAD="$scratch/names.so" NAMES_ANSWER=/ \
		NAMES_USER="$user"
}
case $(domain_user 'DOMAIN\ann') in
*'%begin 71 user=DOMAIN\134ann'*'%end 71'*'E ok '*) ;;
'') ;;
*) fail "run of a user of a domain: $(domain_user 'DOMAIN\ann')" ;;
esac
case $(domain_user 'DOMAIN\134ann') in
*'begin 71'*) fail 'another user sees the run' ;;
esac

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
