#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# tidy_refuses.sh - nodometer-tidy changes nothing while another process holds a lock, and reports
# files that it cannot compress
. "$(dirname "$0")/tidy_lib.sh"

fresh

# A gathered archive has no lock of a writer, and the node may still write to its newest file, which
# stays plain.
there=$scratch/gathered/$host
mkdir -p "$there"
for n in 9 5 3; do
	make_closed_file $((1000900000 - n * 100000)) $n
	cp -p "$folder/$((1000900000 - n * 100000))" "$there"
done
expect 0 "$bin/nodometer-tidy" --compress "$there"
gathered() { find "$there" -mindepth 1 -printf '%f\n' | sort | tr '\n' ' '; }
is 'a gathered archive' "$(gathered)" '1000000000.zst 1000400000.zst 1000600000 tidy '
expect 0 "$bin/nodometer-tidy" --retain-days 4 "$there"
is 'its retention' "$(gathered)" '1000600000 tidy '
cp -p "$folder/1000400000" "$there"
exec 9>"$scratch/gathered/.gather"
flock -n 9 || fail 'flock'
expect 0 "$bin/nodometer-tidy" --compress "$there"
[ -e "$there/1000400000" ] || fail 'beside nodometer gather'
exec 9>&-
# in a copy by rsync without -H, "current" is a separate file, and the lock file is copied, too
cp "$there/1000600000" "$there/current"
: >"$there/lock"
expect 0 "$bin/nodometer-tidy" --compress "$there"
is 'a copy of all' "$(gathered)" '1000400000.zst 1000600000 current lock tidy '

# While another nodometer-tidy runs in the folder, nothing is done.
make_closed_file 1000000099 1
exec 9>"$folder/tidy"
flock -n 9 || fail 'flock'
expect 0 tidy --compress
[ -e "$folder/1000000099" ] || fail 'two at once'
exec 9>&-

# While nodometer-tidy waits for the writer's lock, it runs at the writer's priority, so that it
# then holds the lock only briefly.
exec 9>"$folder/lock"
flock -n 9 || fail 'flock'
"$bin/nodometer-tidy" --compress "$folder" 9>&- &
pid=$!
pids="$pids $pid"
is_at_it() { find "/proc/$pid/fd" -lname '*/lock' | grep -q .; }
wait_until 10 is_at_it
is 'niceness' "$(sed 's/.*) //' "/proc/$pid/stat" | cut -d ' ' -f 17)" "$(nice)"
exec 9>&-
wait "$pid" || fail 'tidy after the lock'
forget "$pid"
[ -e "$folder/1000000099.zst" ] || fail 'not packed'

# A file that cannot be compressed stays and is reported. If a lock is a symbolic link, nothing is
# changed.
make_closed_file 1000000100 1
cp "$folder/1000000100" "$scratch/want"
mkdir "$folder/1000000100.zst"
cp "$scratch/want" "$folder/9223372036854775808"	# a name that is no valid time
expect 1 tidy --compress
contains said '^nodometer-tidy: cannot compress 1000000100: Is a directory$'
cmp "$folder/1000000100" "$scratch/want" || fail 'what is not packed is changed'
cmp "$folder/9223372036854775808" "$scratch/want" || fail 'a file without a time is touched'
[ ! -e "$folder/1000000100.zst.tmp" ] || fail 'half a packed file stays'
rmdir "$folder/1000000100.zst"
for name in lock tidy; do
	mv "$folder/$name" "$scratch/$name"
	ln -s "$scratch/$name" "$folder/$name"
	expect 1 tidy --compress --retain-size 1
	contains said 'Too many levels of symbolic links$'
	cmp "$folder/1000000100" "$scratch/want" || fail "packed or removed without $name"
	mv "$scratch/$name" "$folder/$name"
done
expect 0 tidy --compress
unpacked 1000000100 want 'other bytes, later'

expect 2 tidy --retain-days -1
expect 2 tidy --retain-days 1d
expect 2 "$bin/nodometer-tidy" 2>"$said"
expect 1 "$bin/nodometer-tidy" "$scratch/nowhere" 2>"$said"
contains said "nowhere: No such file"
