#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# send_archive.sh - the copy that [sink archive] makes in dir always equals the node's own files
. "$(dirname "$0")/lib.sh"
there=$scratch/central state=$scratch/state

copied() { cmp -s "$archive/$host/$1" "$there/$host/$1"; }
end_sender() { end_program 5 "$sender" "the sender"; }
rotate()
{
	expect 0 nodometer rotate 2>/dev/null
	expect 0 nodometer collect vm
}

mkdir -p "$scratch"
write_config '[send]' "state-dir = $state" '[sink archive]' "dir = $there"
"$bin/nodometer-send" --check --config "$conf" >/dev/null 2>&1 || fail '--check'
expect 0 nodometer collect vm
expect 0 nodometer begin 42
first=$(find "$archive/$host" -samefile "$archive/$host/current" -name '[0-9]*' -printf '%f\n')

# The sink does not make a missing folder, since this may be a file system that is not mounted yet.
# When the folder exists, the sink copies the whole archive.
launch_sender
wait_until 5 grep -q "central/$host/[0-9]*: No such file or directory; retrying" "$log"
mkdir "$there"
wait_until 10 copied "$first"
is 'mode' "$(stat -c %a "$there/$host/$first")" 640

# The copy grows with each record, and stays exact after a kill of the sender and a rotation by
# another process.
expect 0 nodometer collect vm
wait_until 10 copied "$first"
# shellcheck disable=SC2046 # numbers: the process of the sink, which reads to the end first
kill -KILL "$sender" $(cat "/proc/$sender/task/$sender/children")
wait "$sender" 2>/dev/null
forget "$sender"
expect 0 nodometer end 42
sleep 1	# a file's name is its second
rotate
second=$(find "$archive/$host" -samefile "$archive/$host/current" -name '[0-9]*' -printf '%f\n')
[ "$second" != "$first" ] || fail 'not rotated'
cp "$archive/$host/$first" "$scratch/first"
! grep -q '^#define HAVE_ZSTD' config.h ||
	expect 0 "$bin/nodometer-tidy" --compress "$archive/$host"

# The sink continues an incomplete copy, even if the original was compressed meanwhile; it writes a
# copy again that ends in other bytes.
truncate -s -100 "$there/$host/$first"
launch_sender
wait_until 10 copied "$second"
cmp "$scratch/first" "$there/$host/$first" || fail 'the file that was compressed meanwhile'
end_sender
printf 'garbage after a power cut' | dd of="$there/$host/$second" conv=notrunc bs=1 \
	seek=$(($(stat -c %s "$there/$host/$second") - 25)) 2>/dev/null
expect 0 nodometer collect vm
launch_sender
wait_until 10 copied "$second"

# It also writes a copy again that is longer than the original, because the node removed a torn end.
end_sender
head -c 100000 /dev/zero >>"$there/$host/$second"
printf 'a record that was taken back' | dd of="$there/$host/$second" conv=notrunc bs=1 \
	seek="$(stat -c %s "$archive/$host/$second")" 2>/dev/null
expect 0 nodometer collect vm
launch_sender
wait_until 10 copied "$second"

# It does not overwrite a file of another node with the same name.
end_sender
echo 'another' >"$there/$host/$second"
expect 0 nodometer collect vm
launch_sender
wait_until 10 grep -q "central/$host/$second does not begin like the file on the node" "$log"
is 'the other file' "$(cat "$there/$host/$second")" another
nodometer status 2>/dev/null >"$scratch/said"
grep -q '^sink  *archive: .* errors, .*fails: .*like the file on the node' "$scratch/said" ||
	fail "status: $(cat "$scratch/said")"
kill -KILL "$sender"
wait "$sender" 2>/dev/null
forget "$sender"
