#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# damaged.sh - a cut or damaged compressed file is reported once; the records before the damage are
# read
. "$(dirname "$0")/lib.sh"
grep -q '^#define HAVE_ZSTD' config.h && grep -q '^#define HAVE_ZLIB' config.h ||
	skip 'built without libzstd or zlib'
command -v zstd >/dev/null || skip 'zstd is not installed'
folder=$archive/$host
good=$scratch/1700000000

mkdir -p "$folder"
awk 'BEGIN {
	print "$hpcperfstats 2.3.5\n$hostname node.test\n$uname Linux x86_64 1 1\n$uptime 1"
	print "!vm a,E b,E"
	for (i = 0; i < 20000; i++) {
		printf "\n%d %s\n", 1700000000 + i, i < 100 ? "-" : 7
		if (i == 100)
			print "%begin 7"
		printf "vm - %d %d\n", i * 1000003 % 1000000007, i * i
	}
}' >"$good"
expect 0 nodometer check "$good" >/dev/null

# changed FROM TO CODE: copy file FROM to TO, and change its bytes by the perl code CODE, so that
# the checksum is wrong
changed() {
	perl -e 'local $/; open(my $f, "<", $ARGV[0]) or die; $_ = <$f>;
		my $middle = int(length() / 2);
		eval $ARGV[1]; die $@ if $@; print' "$1" "$3" >"$2"
}
zstd -qf --check "$good" -o "$scratch/whole.zst"
gzip -c "$good" >"$scratch/whole.gz"
for form in zst gz; do
	changed "$scratch/whole.$form" "$scratch/cut.$form" 'substr($_, $middle) = ""'
	changed "$scratch/whole.$form" "$scratch/damaged.$form" \
		'substr($_, -3, 2) ^= "\x55\x55"'
	for how in cut damaged; do
		file=$folder/1700000000.$form
		case $how in
		cut) why='the compressed data end too early: the file was cut' ;;
		*) why='the compressed data are damaged' ;;
		esac
		rm -f "$folder"/*
		cp "$scratch/$how.$form" "$file"
		expect 1 "$bin/nodometer-check" "$file" >"$scratch/out"
		grep -q ": $why\$" "$scratch/out" || fail "check: $(cat "$scratch/out")"
		is "defects of $how.$form" "$(grep -c "$why" "$scratch/out")" 1
		expect 1 "$bin/nodometer-cat" "$file" >"$scratch/rows" 2>"$scratch/out"
		is "cat of $how.$form" "$(grep -c "$why" "$scratch/out")" 1
		[ "$(wc -l <"$scratch/rows")" -gt 1000 ] || fail "$how.$form: nothing is read"
		"$bin/nodometer-report" --dir "$archive" 7 >"$scratch/report" 2>"$scratch/out"
		is "report of $how.$form" "$(cat "$scratch/out")" "nodometer report: $file: $why"
		grep -q '1 file could not be read' "$scratch/report" ||
			fail "not in the report: $(cat "$scratch/report")"
	done
done
