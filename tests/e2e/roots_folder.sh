#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# roots_folder.sh - root's receiver and sender become other users, and still work in folders of root
. "$(dirname "$0")/lib.sh"
[ "$(id -u)" = 0 ] || skip 'root alone becomes another user'
command -v perl >/dev/null || skip 'no perl'
has send xrootd || skip 'built without delivery or xrootd'
captured=$srcdir/tests/tracers/s2_io_http.dgram
nobody=$(id -u nodometer 2>/dev/null || echo 65534)
own=$scratch/own	# only root can reach this folder
mkdir -p "$own"
chmod 700 "$own"

# cut FROM TO: print a capture with the datagrams FROM to TO - 1 of the capture
cut() {
	perl -e 'my ($file, $from, $to) = @ARGV;
		open(my $f, "<:raw", $file) or die;
		read($f, my $head, 8);
		print $head;
		for (my $i = 0; read($f, $head, 24) == 24; $i++) {
			read($f, my $data, unpack("x16N", $head));
			print $head, $data if $i >= $from && $i < $to;
		}' "$captured" "$1" "$2"
}
cut 0 44 >"$scratch/one"
cut 44 10000 >"$scratch/two"

# A receiver that is restarted continues from its state file, even if the user that it becomes
# cannot reach the file's folder.
expect 0 "$bin/nodometer-xrootd" --read "$captured" 2>"$log" | sort >"$scratch/want"
expect 0 "$bin/nodometer-xrootd" --read "$scratch/one" --state "$own/state" -o "$own/lines" 2>"$log"
expect 0 "$bin/nodometer-xrootd" --read "$scratch/two" --state "$own/state" -o "$own/lines" \
	2>"$scratch/said" --final
grep 'not used' "$scratch/said" && fail 'the state is not read'
sort "$own/lines" >"$scratch/got"
cmp "$scratch/want" "$scratch/got" || fail "$(diff "$scratch/want" "$scratch/got" | head -n 4)"

# A state file that cannot be read is not changed.
mkdir "$scratch/theirs"
echo 'what nobody may read' >"$scratch/theirs/state"
chmod 600 "$scratch/theirs/state"
chown 65534:65534 "$scratch/theirs"
expect 0 setpriv --reuid 65534 --regid 65534 --clear-groups "$bin/nodometer-xrootd" \
	--read - --state "$scratch/theirs/state" <"$scratch/one" >"$scratch/got" 2>"$scratch/said"
grep -q 'cannot read state .*/state: Permission denied; the file is kept' "$scratch/said" ||
	fail "$(cat "$scratch/said")"
is 'the state' "$(cat "$scratch/theirs/state")" 'what nobody may read'

# Root's sender reads the files of root's receiver below a folder of root, and keeps its cursors.
archived=$scratch/archived
mkdir "$archived"
expect 0 nodometer xrootd --read "$captured" --raw -o "$archived/" 2>"$log"
folder=$(echo "$archived"/*)
is 'the owners' "$(stat -c %u "$archived" "$folder" "$folder/current" | tr '\n' ' ')" \
	"0 $nobody $nobody "
write_config '[send]' "state-dir = $scratch/state" '[sink metrics]' "textfile-dir = $scratch/page" \
	'[sink http all]' 'url = http://127.0.0.1:9/'
sed -i "s|^dir = .*|dir = $archived|; s|^hostname = .*|hostname = ${folder##*/}|" "$conf"
mkdir -p "$scratch/state/${folder##*/}" "$scratch/page"
: >"$scratch/state/${folder##*/}/.lock"	# a lock of root, left by a sender that could read nothing
chown "$nobody" "$scratch/page"
expect 0 "$bin/nodometer-send" --config "$conf" --dry-run >"$scratch/said" 2>&1
"$bin/nodometer-send" --config "$conf" 2>"$log" 3>&- &
sender=$!
pids="$pids $sender"
wait_until 10 grep -qs '^nodometer_sample_timestamp_seconds{' "$scratch/page/nodometer.prom"
end_program 10 "$sender" 'the sender'
is 'whose cursors' "$(stat -c %u "$scratch/state/${folder##*/}"/* | sort -u)" "$nobody"

# A file that the sender may not read is reported with the reason.
chown 0:0 "$folder"
expect 1 "$bin/nodometer-send" --config "$conf" --once 2>"$scratch/said"
grep -q "$folder/[0-9]*: Permission denied (owned by [a-z0-9]*, read as root)" "$scratch/said" ||
	fail "$(cat "$scratch/said")"
