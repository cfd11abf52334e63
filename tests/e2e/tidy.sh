#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# tidy.sh - nodometer-tidy compresses and removes only closed files, and survives kills
. "$(dirname "$0")/tidy_lib.sh"

fresh

# Readers work with the pattern HOST/*, although the agent also keeps other files in this folder.
expect 0 tidy
echo half >"$folder/1000500000.zst.tmp"
for reader in check cat 'export --to jsonl'; do
	# shellcheck disable=SC2086 # a command with options
	expect 0 nodometer $reader "$folder"/* >"$scratch/out" 2>"$said"
	[ ! -s "$said" ] || fail "$reader: $(cat "$said")"
done
is 'files checked' "$(nodometer check "$folder"/* | sed 's/.*: whole; 1 groups, .*/whole/')" 'whole
whole'
mkdir "$scratch/other"
echo text >"$scratch/other/lock"
expect 1 nodometer check "$scratch/other/lock" >"$scratch/out"

# Without an option, nothing is changed.
rm "$folder/1000500000.zst.tmp"
make_closed_file 1000000000 9
make_closed_file 1000100000 5
make_closed_file 1000200000 3
before=$(names)
expect 0 tidy
is 'names after nothing' "$(names)" "$before"

# Compressed files have the same text, mode and time; other files are not changed.
cp "$folder/1000000000" "$scratch/want"
chmod 604 "$folder/1000000000"
written=$(stat -c %Y "$folder/1000000000")
: >"$folder/1000000001"
for name in notes 1000000002.txt x1000000003 1000000004.zst.old; do
	echo kept >"$folder/$name"
done
ln -s /etc/hostname "$folder/1000000005"
mkdir "$folder/1000000006"
mkfifo "$folder/1000000000.zst.tmp"
expect 0 timeout 60 "$bin/nodometer-tidy" --compress "$folder"
is 'names when packed' "$(names)" "1000000000.zst 1000000002.txt 1000000004.zst.old 1000000005 \
1000000006 1000100000.zst 1000200000.zst $first current notes x1000000003 "
unpacked 1000000000 want 'other bytes'
is 'mode and time' "$(stat -c '%a %Y' "$folder/1000000000.zst")" "604 $written"
is 'mode of its lock' "$(stat -c %a "$folder/tidy")" 600
is 'the link' "$(readlink "$folder/1000000005")" /etc/hostname
rm -r "$folder/1000000005" "$folder/1000000006" "$folder/notes" "$folder"/*.txt "$folder"/*.old \
	"$folder/x1000000003"

# A compressed file ends with an index. If other bytes follow the index, readers work without it.
two=$scratch/two/$host
mkdir -p "$two"
for job in 66 77; do
	# shellcheck disable=SC2016 # properties, not variables
	printf '$hpcperfstats 1.0.2\n$hostname n\n!vm pgpgin,E\n\n10002000%s %s\nvm - 1\n' \
		$job $job >"$two/10002000$job"
done
: >"$two/lock"
expect 0 "$bin/nodometer-tidy" --compress "$two"
is 'its last bytes' "$(tail -c 8 "$two/1000200077.zst")" nodoidx2
looks() { "$bin/nodometer-report" "$1" --dir "$scratch/two" >"$said" 2>&1; }
looks 77 || fail 'no report of job 77'
mv "$said" "$scratch/with"
looks 78 && fail 'a report of job 78'
contains said 'files searched: 0'
for f in "$two"/*.zst; do
	zstd -qc </dev/null >>"$f"
done
looks 77 && cmp "$said" "$scratch/with" || fail 'another report without indexes'
looks 78 && fail 'a report of job 78, without indexes'
contains said 'files searched: 2'

# If nodometer-tidy is killed before it removes the original, the compressed file counts.
cp "$scratch/want" "$folder/1000000000"
echo half >"$folder/1000000000.zst.tmp"
expect 0 tidy --compress
unpacked 1000000000 want 'packed again, other bytes'
[ ! -e "$folder/1000000000" ] || fail 'both stay'

# In a folder with copies, the newest file is not changed, even if it is there plain and compressed.
copies=$scratch/copies/$host
mkdir -p "$copies"
zstd -q -o "$copies/1000000000.zst" "$scratch/want"
sed '/^$/,$d' "$scratch/want" >"$copies/1000000000"
cp "$copies/1000000000.zst" "$scratch/arrived"
expect 0 "$bin/nodometer-tidy" --compress "$copies"
cmp "$copies/1000000000.zst" "$scratch/arrived" || fail 'an older copy replaces a compressed file'

# An incomplete record group at the end of a nodometer file is cut off; files of other programs keep
# all bytes.
make_closed_file 1000300000 2 2
cp "$folder/1000300000" "$scratch/whole"
printf '\n1000300009 -\nvm - 1' >>"$folder/1000300000"
sed 's/^\$agent nodometer/$agent other/' "$folder/1000300000" >"$folder/1000400000"
cp "$folder/1000400000" "$scratch/foreign"
expect 0 tidy --compress
contains said '1000300000: its last 20 bytes are not a complete record group'
unpacked 1000300000 whole 'the torn group is not cut'
unpacked 1000400000 foreign 'a foreign file is cut'

# A file that ends within its header keeps all bytes, too: it has no record group after which it
# could be cut.
make_closed_file 1000350000 2 0
cp "$folder/1000350000" "$scratch/header"
expect 0 tidy --compress
unpacked 1000350000 header 'a header is cut'

# Files are removed by age, size and free space, oldest first; the current file and files of the
# last day stay.
fresh
for n in 9 5 3 2 0; do
	make_closed_file $((1000900000 - n * 100000)) $n
done
expect 0 tidy --retain-days 4
is 'by age' "$(names)" "1000600000 1000700000 1000900000 $first current "
contains said '^nodometer-tidy: 1000000000 removed: older than retain-days$'
size=$(stat -c %s "$folder/1000900000")
expect 0 tidy --retain-size $((2 * size))
is 'by size' "$(names)" "1000700000 1000900000 $first current "
expect 0 tidy --retain-size 0 --free-floor 0
is 'no limit' "$(names)" "1000700000 1000900000 $first current "
expect 0 tidy --free-floor 100000000000000
is 'by free space' "$(names)" "1000900000 $first current "
expect 0 tidy --retain-size 1
is 'current is never removed' "$(names)" "$first current "

# nodometer-tidy is killed again and again: no byte is lost, and its last run completes the work.
sum=0
for n in $(seq 20); do
	make_closed_file $((1000000000 + n)) 1 2000
	sum=$((sum + $(wc -c <"$folder/$((1000000000 + n))")))
done
kills=0
while [ -n "$(find "$folder" -name '10000000??')" ] && [ $kills -lt 300 ]; do
	"$bin/nodometer-tidy" --compress "$folder" 2>>"$said" &
	pid=$!
	sleep "0.00$((1 + kills % 9))"
	kill -KILL $pid 2>/dev/null && kills=$((kills + 1))
	wait $pid 2>/dev/null
done
expect 0 tidy --compress
is 'bytes after kills' "$(zstd -qdc "$folder"/10*.zst | wc -c)" $sum
[ -z "$(find "$folder" -name '*.tmp')" ] || fail "half a file stays: $(names)"
echo "$kills kills"
