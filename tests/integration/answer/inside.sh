#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# inside.sh - test nodometer-answer.socket and its service in the container that run.sh booted
# shellcheck source=../words.sh
. /share/words.sh

cd /share/install && cp -a . / || die 'no installation'
systemd-sysusers
systemd-tmpfiles --create >/dev/null 2>&1
printf '%s:x:%s:%s::/nonexistent:/bin/sh\n' anna 2001 2001 ben 2002 2002 mia 2003 2003 >>/etc/passwd
echo 'managers:x:3000:mia' >>/etc/group
printf '[answer]\ngroups = managers\n' >>/etc/nodometer/nodometer.conf
archive=/var/lib/nodometer start=$(date +%s)
# Make records of two days until now; the last records of jobs 106 and 107 are only moments old.
start=$((start / 600 * 600 - 180 * 600))
perl /share/archive.pl $archive "$start" 40 8 || die 'no archive'
chown -R nodometer:nodometer $archive
chmod -R o= $archive
systemctl daemon-reload
systemctl start nodometer-answer.socket || die 'the socket does not start'

# as USER COMMAND...: run COMMAND as USER; its errors go to standard output, too
as() {
	user=$1
	shift
	setpriv --reuid "$user" --regid "$(id -g "$user")" --init-groups "$@" 2>&1
}
# has PATTERN WHAT: fail with WHAT unless $said matches PATTERN
has() { echo "$said" | grep -q "$1" || fail "$2: $said"; }

say 'the owner of a job, without a right to the archive'
said=$(as anna cat $archive/n001/current)
has 'Permission denied' 'others read the archive'
said=$(as anna nodometer report 100)
has '^  nodes     2: n001, n002$' 'nodes of a report'
has '^Job 100  (anna[,)]' 'the user of a report'
has '^Complete\|Not certain' 'the end of a report'
has 'nodometer-answer left out: .* rows of other jobs and users' 'what was left out'
has 'Other jobs are in the figures of the node' 'a node that was shared'
! echo "$said" | grep -q 'ben' || fail "another's: $said"
said=$(as anna nodometer report 4711009)
has '^  nodes     8: ' 'nodes of a large job'
said=$(as anna nodometer report 106)
has 'No end mark yet, running or dead' 'a job that runs'
said=$(as anna nodometer report 102)
has '^Complete\|Not certain' 'over midnight'
has '^  samples   62, 31 on each node' 'samples of a job over midnight'
said=$(as anna nodometer report 105)
has '^Job 105_1\( \|$\)' 'the tasks of an array'
! echo "$said" | grep -q '105_2' || fail "another's task: $said"
said=$(as anna nodometer jobs | awk 'NR > 2 { print $1 }' | sort | tr '\n' ' ')
[ "$said" = '100 102 105_1 106 110 4711009 ' ] || fail "jobs of anna: $said"
said=$(as ben nodometer jobs --used | awk '{ print $1 }' | tr '\n' ' ')
for id in 100 101 107 105_2 ../108 %n109 110; do
	case " $said" in *" $id "*) ;; *) fail "jobs of ben lack $id: $said" ;; esac
done
said=$(as anna nodometer report 100 --since now)
has 'job 100 did not run at that time, but at other times' 'an own job at another time'
said=$(as anna nodometer report 101 --since now)
has 'no records of job 101 below .* that you may see' "another's job at another time"
said=$(as anna nodometer plot 100 -o - 2>&1)
has 'set ' 'a plot'

say 'a group that may see all, and who has nothing'
said=$(as mia nodometer jobs | grep -c ' 20')
[ "$said" -ge 14 ] || fail "a manager sees $said jobs"
said=$(as mia nodometer report 103)
has '^Job 103\( \|$\)' 'a manager sees a job of nobody'
said=$(as anna nodometer report --dir /var/lib 100)
has 'no records\|not\|Permission' 'another archive'
said=$(as anna nodometer report 101)
has 'no records of job 101 below .* that you may see' "another's job"
said=$(as anna nodometer report 103)
has 'no records of job 103 .* that you may see' 'a job of nobody'
said=$(as anna nodometer report 104)
has 'no records of job 104 .* that you may see' 'a job of who had the number before'

# asks USER N: send N random requests as USER; the answers are in /tmp/answers.USER
asks() {
	guesses "$2" >"/tmp/guesses.$1"
	user=$1
	set --
	while IFS= read -r line; do set -- "$@" "$line"; done <"/tmp/guesses.$user"
	as "$user" perl /share/ask.pl "$@" >"/tmp/answers.$user"
}
# judged USER NAME N: more than half of the N requests of USER must have an answer, and no answer
# may have a line with NAME, which marks another user's jobs
judged() {
	[ "$(grep -c '^A ' "/tmp/answers.$1")" -gt $(($3 / 2)) ] || fail "$1 has no answers"
	! grep -v '^A ' "/tmp/answers.$1" | grep "$2" || fail "$1 is shown lines of $2"
}
# guesses N: print N random requests for ids that belong to others, may belong to others, or only
# look like ids
guesses() {
	perl -e 'my @ids = qw(100 101 103 104 105 105_1 105_2 105_* 106 107 ../108 %n109 110 others
			- * 4711009 n001/101 .. ../n001/current %s%s%n 101%00 101,100 0x65 +101
			101.0 1e2 others,101);
		for (1 .. shift) {
			my $t = "-";
			$t = time() - int(rand(200000)) . "000000" if rand() < 0.3;
			my $id = $ids[rand @ids];
			$id = int(rand(200)) if rand() < 0.2;
			$id = "x" x rand(600) if rand() < 0.05;
			$id .= "\x01" if rand() < 0.02;
			$id .= " uid=2002" if rand() < 0.02;
			print rand() < 0.8 ? "records" : "runs", " ", rand() < 0.5 ? $t : "-", " ",
			      rand() < 0.5 ? $t : "-", " $id\n";
		}' "$1"
}
# guess N: send about N random requests, as three users at the same time, and judge the answers
guess() {
	asked=0 each=$(($1 / 3 < 50 ? $1 / 3 : 50))
	while [ $asked -lt "$1" ]; do
		askers=''
		for user in anna ben nobody; do
			asks $user $each &
			askers="$askers $!"
		done
		for asker in $askers; do wait "$asker"; done
		judged anna of_ben $each
		judged ben of_anna $each
		judged nobody of_ $each
		asked=$((asked + 3 * each))
	done
	say "$asked requests"
}
say 'guesses'
guess 45
# Send texts that are no requests, and connect without sending or reading anything.
as anna perl -e 'use Socket; $SIG{PIPE} = "IGNORE";
	for my $bytes ("", "Q", "Q\xff\xff\xff\xff", "X\0\0\0\1x", "\0" x 100000) {
		socket(my $s, AF_UNIX, SOCK_STREAM, 0);
		connect($s, pack_sockaddr_un("/run/nodometer/answer"));
		syswrite($s, $bytes);
		shutdown($s, 1);
		1 while sysread($s, my $x, 4096);
	}'
as ben perl -e 'use Socket;
	my @s;
	for (1 .. 3) {
		socket(my $s, AF_UNIX, SOCK_STREAM, 0);
		connect($s, pack_sockaddr_un("/run/nodometer/answer"));
		push @s, $s;
	}
	sleep 600' &
slow=$!
said=$(as anna nodometer report 100)
has '^Job 100\( \|$\)' 'beside users who say nothing'
none_open() { [ "$(systemctl list-units --plain --no-legend 'nodometer-answer@*' | wc -l)" = 0 ]; }
wait_times 3 none_open || fail 'who says nothing holds a process'
kill $slow
systemctl is-active --quiet nodometer-answer.socket || fail 'the socket is gone'
! systemctl list-units --state=failed --no-legend 'nodometer-answer@*' | grep . ||
	fail 'services failed'

say 'a job that runs on this node is sampled for its owner'
systemctl start nodometerd || fail 'the agent does not start'
nodometer begin 555 --strict --attr user=anna --attr uid=2001 || fail 'no begin'
said=$(as anna nodometer report 555)
has '^Job 555  (anna)' 'a job that has just begun'
has '^  samples   2' 'the sample of now'
said=$(as ben nodometer report 555)
has 'no records of job 555 .* that you may see' "another's running job"
nodometer end 555 --strict || fail 'no end'
systemctl stop nodometerd

say 'without the socket'
systemctl stop nodometer-answer.socket
said=$(as anna nodometer report 100)
has 'Permission denied' 'without the socket'

say 'a rogue in its place'
# rogue BYTES PATTERN: run a report whose socket answers BYTES, given in Perl's notation; its output
# must match PATTERN
rogue() {
	rm -f /run/nodometer/answer
	perl -e 'use Socket; socket(my $s, AF_UNIX, SOCK_STREAM, 0);
		bind($s, pack_sockaddr_un("/run/nodometer/answer")) && listen($s, 8) or die $!;
		chmod(0666, "/run/nodometer/answer"); $SIG{PIPE} = "IGNORE";
		accept(my $c, $s); sysread($c, my $request, 4096);
		syswrite($c, eval "\"$ARGV[0]\""); close $c;' "$1" &
	wait_until test -S /run/nodometer/answer
	said=$(as anna nodometer report 100)
	has "$2" "a rogue that says $1"
	! echo "$said" | grep -q "$(printf '\033')" || fail "$1: the terminal is commanded"
	wait $!
}
from='A\0\0\0\x12/var/lib/nodometer'
rogue '' 'it ended without an answer'
rogue 'A\xff\xff\xff\xff' 'it sent an invalid answer'
rogue 'D\0\0\0\1x' 'it sent an invalid answer'
rogue "$from"'H\0\0\0\013x ../../etc' 'it sent an invalid answer'
rogue "$from"'H\0\0\0\0131 ../../etc' 'it sent an invalid answer'
rogue "$from"'D\0\0\0\1x' 'it sent an invalid answer'
rogue "$from"'H\0\0\0\0041 n1D\0\0\0\1x' 'its answer was incomplete'
rogue "$from"'E\0\0\0\x0derror a\x1b[31mb' 'nodometer-answer: a?\[31mb'
rogue "$from"'H\0\0\0\0041 n1D\0\0\0\1xE\0\0\0\3ok ' 'no records of job 100'
rogue 'A\0\0\0\4/etcE\0\0\0\3ok ' 'Permission denied'
rm -f /run/nodometer/answer

say 'more guesses, without the time that systemd takes to start a service'
background=$(id -u nodometer)
setpriv --reuid "$background" --regid "$(id -g nodometer)" --clear-groups systemd-socket-activate \
	--accept --inetd -l /run/nodometer/answer /usr/libexec/nodometer/nodometer-answer \
	2>/tmp/launcher &
launcher=$!
wait_until test -S /run/nodometer/answer || fail "no launcher: $(cat /tmp/launcher)"
chmod 666 /run/nodometer/answer
guess "$(cat /share/tries)"
kill $launcher
finish
