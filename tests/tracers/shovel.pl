# SPDX-License-Identifier: BSD-3-Clause
# shovel.pl - the datagrams of a container, each as the message that OSG's shoveler makes of it
use strict;
use warnings;
use MIME::Base64;

binmode(STDIN);
read(STDIN, my $head, 8);
while (read(STDIN, $head, 24) == 24) {
	my ($ip, $port, $n) = unpack("x8 a4 n x2 N", $head);
	read(STDIN, my $data, $n);
	printf "{\"remote\":\"%s:%d\",\"version\":\"1.1.2\",\"data\":\"%s\"}\n",
		join(".", unpack("C4", $ip)), $port, encode_base64($data, "");
}
