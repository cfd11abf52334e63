#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# explain.sh - messages about files that cannot be read or written say what to do
. "$(dirname "$0")/lib.sh"

if [ -z "${OWN_MOUNTS:-}" ]; then
	trap - EXIT
	unshare -m true 2>/dev/null || skip "no right to a mount namespace of its own"
	OWN_MOUNTS=1 exec unshare -m "$0"
fi

# says TEXT: fail unless the last message contains TEXT
says() {
	grep -q -e "$1" "$scratch/err" || fail "no \"$1\": $(cat "$scratch/err")"
}

# The argument is a folder instead of a file.
expect 1 nodometer cat "$archive" 2>"$scratch/err"
says "$archive: a folder; name its files, as in $archive/\* or $archive/HOST/\*"
expect 1 nodometer check "$archive" >"$scratch/err"
says "$archive: a folder; name its files"

# If no agent runs, the message says how to start one.
expect 1 nodometer status >"$scratch/err"
says '^to start it  *[^ ].*nodometer'
start_agent
expect 0 nodometer status >"$scratch/err"
! grep -q '^to start it' "$scratch/err" || fail "it runs"
stop_agent

# As in the unit's sandbox, all but the folders of ReadWritePaths= is read-only: an agent with
# another archive neither starts nor restarts.
mkdir "$scratch/elsewhere"
mount -t tmpfs -o ro none "$scratch/elsewhere" 2>/dev/null || skip "no right to mount a tmpfs"
archive=$scratch/elsewhere/nodometer/archive
write_config
INVOCATION_ID=1 expect 2 timeout 30 "$bin/nodometerd" --config "$conf" 2>"$scratch/err"
says "$archive: Read-only file system; the unit .*ReadWritePaths=$archive"
expect 1 nodometer collect 2>"$scratch/err"
says "$archive: Read-only file system"
expect 3 nodometer begin --strict 1 2>"$scratch/err"
says "$archive: Read-only file system; \"1\" is left in .*/marks"
umount "$scratch/elsewhere"

# If a user has no right to read or write a file, the message says who has it.
[ "$(id -u)" -eq 0 ] || skip "the rest needs root, to become nobody"
command -v setpriv >/dev/null || skip "the rest needs setpriv"
shared=$(open_folder) || exit 99
runtime=$shared archive=$shared/archive
cp "$bin/nodometer" "$bin/nodometer-commands" "$bin/nodometer-cat" "$bin/nodometer-jobs" \
	"$bin/nodometer-report" "$bin/nodometer-plot" "$shared"
mkdir -p "$archive"
write_config
expect 0 nodometer collect
chmod 750 "$archive"
chown daemon:games "$archive"
cp "$conf" "$shared/conf"
chmod 644 "$shared/conf"
as_nobody() {
	setpriv --reuid nobody --regid "$(id -g nobody)" --clear-groups timeout -k 1 30 "$@"
}
as_nobody "$shared/nodometer" --version >/dev/null 2>&1 || skip "nobody cannot run it in $shared"
expect 1 as_nobody "$shared/nodometer-cat" "$archive/$host/current" 2>"$scratch/err"
says "current: Permission denied; group games may read it, with the jobs of all users$"
for reader in jobs 'report 1' 'plot 1' 'cat --csv'; do
	# shellcheck disable=SC2086 # a command with words
	as_nobody "$shared/nodometer-"$reader --dir "$archive" >"$scratch/err" 2>&1 &&
		fail "$reader: status 0"
	says "$archive: Permission denied; group games may read it, with the jobs of all users"
	case $reader in cat*) continue ;; esac
	says "; as root .*nodometer-answer.socket\" lets users see their own jobs"
done
# A host's folder that the user may not read does not hide other hosts; lost+found is ignored.
chmod 755 "$archive" "$archive/$host"
chmod -R o+r "$archive/$host"
mkdir -m 700 "$archive/lost+found"
for reader in jobs "report --host $host" 'cat --csv'; do
	# shellcheck disable=SC2086 # a command with words
	expect 0 as_nobody "$shared/nodometer-"$reader --dir "$archive" >/dev/null 2>"$scratch/err"
	is "$reader: said" "$(cat "$scratch/err")" ''
done
mkdir -m 700 "$archive/n8" "$archive/n9"
for reader in jobs "report --host $host" 'cat --csv'; do
	# shellcheck disable=SC2086 # a command with words
	expect 0 as_nobody "$shared/nodometer-"$reader --dir "$archive" >"$scratch/out" \
		2>"$scratch/err"
	says "left out: $archive/n[89]: Permission denied.*; and 1 more"
	[ -s "$scratch/out" ] || fail "$reader: nothing"
done
rmdir "$archive/lost+found" "$archive/n8" "$archive/n9"
chmod 750 "$archive" "$archive/$host"

expect 1 as_nobody "$shared/nodometer" --config "$shared/conf" collect 2>"$scratch/err"
says "$archive: Permission denied; root and user daemon may write there"
expect 1 as_nobody "$shared/nodometer" --config "$shared/conf" begin --strict 1 2>"$scratch/err"
says "$archive: job 1 is not marked: Permission denied; root and user daemon may write there"
