#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# mpxstats_original.sh - for the same packets, nodometer mpxstats prints the same as XRootD's
# mpxstats
. "$(dirname "$0")/mpxstats_lib.sh"
captures=${NODOMETER_SHARED:-$srcdir/../shared}/data/xrootd/captures
[ -d "$captures" ] || skip 'the captures are not here'
command -v jq >/dev/null || skip 'jq is not installed'

# Compare with output of the original for the same packets, without sender names, because the
# original ran on another machine.
packets() {
	perl -e 'local $/; $_ = <>; s/^XDGRAM1\n// or die; my $at = 0;
		while ($at < length) {
			my $n = unpack("N", substr($_, $at + 16, 4));
			print unpack("H*", substr($_, $at + 24, $n)), "\n";
			$at += 24 + $n;
		}' "$captures/dev/summary.dgram"
}
no_hosts() { sed -E 's/^host .*/host/; s/&host=[^&]*&/\&host=\&/' "$1"; }
for form in xml flat cgi flat-s cgi-s; do
	want=$captures/dev/summary.mpxstats.$form.txt
	case $form in
	*-s) listen -s -f "${form%-s}" ;;
	*) listen -f $form ;;
	esac
	packets | send
	wait_until 20 lines "$(wc -l <"$want")"
	end_receiver
	no_hosts "$want" >"$scratch/want"
	no_hosts "$out" | cmp - "$scratch/want" || fail "not the original's $form"
done

# With --compat and malformed packets, compare the lengths and the first bytes with the original's
# output.
quirks=$captures/synthetic_quirks
for form in xml flat cgi 'flat -d'; do
	jq -r --arg form "$form" 'select(([.fmt] + .opt | join(" ")) == $form) |
		[.outlen, (.out | @base64), .case] | @tsv' "$quirks/mpxstats_quirks.jsonl" \
		>"$scratch/want"
	# shellcheck disable=SC2086 # words
	listen --compat -f $form
	jq -r .hex "$quirks/packets.jsonl" | send
	wait_until 20 large "$(awk '{ n += $1 } END { print n }' "$scratch/want")"
	end_receiver
	perl -MMIME::Base64 -e 'my $out = shift; open(my $f, "<", $out) or die; local $/; $_ = <$f>;
		for my $line (split /\n/, <STDIN>) {
			my ($n, $begin, $case) = split /\t/, $line;
			my $ours = substr($_, 0, $n, "");
			$begin = decode_base64($begin);
			substr($ours, 0, length $begin) eq $begin or
				die "$case: $ours, not $begin\n";
		}
		$_ eq "" or die "and this: $_\n"' "$out" <"$scratch/want" || fail "$form differs"
done
echo 'the same as the original, in 9 forms'
