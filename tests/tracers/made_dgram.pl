# SPDX-License-Identifier: BSD-3-Clause
# made_dgram.pl - print a capture of what the other captures lack: organisations, copies, connections,
# and a cache of version 5.7.2
use strict;
use warnings;
print "XDGRAM1\n";
my ($n, $f, $g, $time) = (0, 0, 0, 1700000000);
sub datagram {
	print pack("Q>C4nnNN", $time++ * 1000000, 127, 0, 0, 1, 5000, 9930,
		length $_[0], 0), $_[0];
}
sub map_record {
	my ($code, $id, $text) = @_;
	datagram(pack("aCnNN", $code, $n++ % 256, 12 + length $text, 77, $id) . $text);
}
sub event {
	my ($provider, $text) = @_;
	$text .= "\0";
	datagram(pack("aCnNNNNN", "g", $g++ % 256, 24 + length $text, 77, $time, $time,
		ord($provider) << 24, 42) . $text);
}
map_record("=", 0, "=/xrootd.5:42\@srv.example.org\n" .
	"&site=S&port=1094&inst=i&pgm=xrootd&ver=v5.8.0");
my @users = ("&o=CMS cms", "&o=atlas", "", "&o=dteam");
map_record("u", 10 + $_, "gsi/u$_.$_:42\@h.example.org\n&p=gsi&n=x&h=$users[$_]&r=&g=&m=")
	for 0 .. $#users;
my @paths = qw(/store/data/f /user/dteam/x /user/other/x /else/f /storex/y /atlas/store/f);
for my $i (0 .. 4 * @paths - 1) {
	my $path = $paths[$i / 4];
	$path .= "\0" x (8 - length($path) % 8);
	my $open = pack("CCnNQ>N", 1, 1, 20 + length $path, 100 + $i, 5000,
		10 + $i % 4) . $path;
	my $far = pack("CCnNQ>Q>Q>", 3, 0, 32, 100 + $i, 600, 0, 0);
	my $close = pack("CCnNQ>Q>Q>", 0, 0, 32, 100 + $i, 1000 + $i, 0, 0);
	my $all = $open . $far . $close;
	datagram(pack("aCnN", "f", $f++ % 256, 32 + length $all, 77) .
		pack("CCnnnNNQ>", 2, 1, 24, 1, 3, $time, $time + 5, 42) . $all);
}
event("C", "{\"event\":\"file_close\",\"lfn\":\"$_\",\"size\":9,\"blk_size\":4," .
	"\"n_blks\":3,\"n_blks_done\":3,\"access_cnt\":1,\"attach_t\":5," .
	"\"detach_t\":6,\"remotes\":[\"o:1\"],\"b_hit\":1,\"b_miss\":8," .
	"\"b_bypass\":2,\"b_todisk\":8,\"b_prefetch\":3,\"n_cks_errs\":0}")
	for "/store/a", "/user/x/\\\"y", "/chtc/z", "/none";
event("P", "{\"TPC\":\"$_->[0]\",\"Client\":\"u.1:2\@h\",\"Xeq\":{\"Beg\":" .
	"\"2023-11-14T22:13:20.045Z\",\"End\":\"2023-11-14T22:13:21.045Z\",\"RC\":0," .
	"\"Strm\":1,\"Type\":\"pull\",\"IPv\":6},\"Src\":\"$_->[1]\",\"Dst\":\"$_->[2]\"," .
	"\"Size\":77}")
	for ["http", "https://s:1/store/a?authz=SECRET", "https://d:1//store/b"],
		["xroot", "root://s:1//else/a", "root://d:1//user/dteam/b?x=SECRET"],
		["xroot", "root://s:1//else/a", "root://d:1//else/store/b"];
event("T", "{\"type\":\"tcpstats\",\"remote\":\"192.0.2.1\",\"rtt\":100,\"unacked\":0," .
	"\"sacked\":2,\"lost\":0,\"retrans\":1,\"reordering\":3,\"bytes_in\":5," .
	"\"bytes_out\":6}");
