# SPDX-License-Identifier: BSD-3-Clause
# ask.pl SOCKET TEXT - send TEXT, with escapes, to the agent's control socket and print the answer
use Socket;
$SIG{ALRM} = sub { print "no answer"; exit };
alarm 20;
socket(my $s, AF_UNIX, SOCK_SEQPACKET, 0) or die "socket: $!";
connect($s, pack_sockaddr_un($ARGV[0])) or die "connect: $!";
send($s, eval "qq{$ARGV[1]}", 0);
recv($s, my $answer, 70000, 0);
print $answer;
