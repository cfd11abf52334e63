#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# gather.sh - a copy of the archive, made at any time as README describes, gives the same reports as
# the node
. "$(dirname "$0")/lib.sh"
grep -q '^#define HAVE_ZSTD' config.h || skip 'built without libzstd'
command -v rsync >/dev/null || skip 'rsync is not installed'
there=$scratch/gathered

gather() { expect 0 rsync -a "$archive/" "$there/"; }
# page DIR: print the report of the job from the archive in DIR
page() {
	"$bin/nodometer-report" 42 --dir "$1" >"$scratch/page" 2>&1 ||
		fail "report of $1: $(cat "$scratch/page")"
	cat "$scratch/page"
}
# same WHEN: the reports from the copy and from the node must be the same
same() {
	page "$archive" >"$scratch/here"
	page "$there" | diff -u "$scratch/here" - >&3 || fail "$1: another report over there"
}

# While the job runs, the file being written is copied, too. In the copy, "current" is a separate
# file, not a hard link to it.
write_config
expect 0 nodometer begin 42
expect 0 nodometer collect vm
gather
is 'links of current' "$(stat -c %h "$there/$host/current")" 1
same 'in mid-job'

# The copy has later records of the node only in "current".
stale=$(basename "$(raw_files)")
cp "$there/$host/$stale" "$scratch/stale"
expect 0 nodometer collect vm
gather
cp "$scratch/stale" "$there/$host/$stale"
same 'with a current that has more than its file'

# After the job's end, its file was closed and compressed; the copy has the compressed file, and
# still the earlier plain file.
expect 0 nodometer end 42
expect 0 nodometer rotate 2>/dev/null
expect 0 "$bin/nodometer-tidy" --compress "$archive/$host"
[ -e "$archive/$host/$stale.zst" ] || fail "not compressed: $(ls "$archive/$host")"
gather
[ -e "$there/$host/$stale" ] || fail 'rsync removed the stale copy'
same 'after it was compressed'
grep -q '^  samples   4' "$scratch/page" || fail "not all samples: $(cat "$scratch/page")"
grep -q '^  elapsed ' "$scratch/page" && ! grep -q 'No end mark' "$scratch/page" ||
	fail "no end: $(cat "$scratch/page")"

# nodometer gather copies each host's own folder of the archive, ignores other files, can be
# repeated, and continues if a host is down.
there=$scratch/central from=$scratch/remote
mkdir -p "$there"
cat >"$scratch/rsh" <<'END'
#!/bin/sh
[ $1 != down.test ] || { echo 'ssh: connect to host down.test: Connection refused' >&2; exit 255; }
shift
exec sh -c "$*"
END
chmod +x "$scratch/rsh"
export RSYNC_RSH="$scratch/rsh"
mkdir -p "$from"
cp -r "$archive/$host" "$from/$host"
mkdir "$from/victim" "$from/${host%.*}.other"
echo forged >"$from/victim/1700000000"
ln -s /etc/passwd "$from/$host/1600000000"
echo foreign >"$from/$host/notes"
pulled()
{
	nodometer gather --dir "$there" --from "$from" "$@" >"$scratch/said" 2>"$scratch/errors"
}
pulled "$host" || fail "gather: $(cat "$scratch/errors")"
[ ! -e "$there/victim" ] && [ ! -e "$there/$host/1600000000" ] && [ ! -e "$there/$host/notes" ] ||
	fail "what is no file of this host came: $(find "$there")"
same 'by nodometer gather'
grep -q "^$host: [1-9][0-9]* files, " "$scratch/said" || fail "$(cat "$scratch/said")"
pulled "$host" || fail "again: $(cat "$scratch/errors")"
grep -q "^$host: 0 files, " "$scratch/said" || fail "all came again: $(cat "$scratch/said")"
# gather removes the plain form of a file that it also has in compressed form
gzip -c "$there/$host/$stale.zst" >"$there/$host/$stale"
pulled "$host" && [ ! -e "$there/$host/$stale" ] || fail 'the closed file stays'
printf '%s\n' "$host" down.test nobody.test >"$scratch/hosts"
pulled - <"$scratch/hosts"
is 'status of a host that is down' $? 1
grep -q "^$host: " "$scratch/said" && grep -q 'down.test: .*refused' "$scratch/errors" &&
	grep -q 'nobody.test: no folder nobody.test' "$scratch/errors" ||
	fail "$(cat "$scratch/said" "$scratch/errors")"
for bad in -oProxyCommand=x a/b ../x; do
	nodometer gather --dir "$there" -- "$bad" >"$scratch/said" 2>&1
	is "status of $bad" $? 2
done
nodometer gather --dir "$there" --paralel 2 "$host" 2>"$scratch/errors"
is 'status of a misspelt option' $? 2
grep -q 'did you mean --parallel?' "$scratch/errors" || fail "$(cat "$scratch/errors")"

# A missing program is named.
mkdir "$scratch/bin"
for program in sh cat flock xargs grep sed head; do
	ln -s "$(command -v $program)" "$scratch/bin/$program"
done
# lacks PROGRAM: the error must name the missing program
lacks()
{
	(PATH=$scratch/bin RSYNC_RSH='' && export PATH && pulled "$host")
	is "status without $1" $? 1
	grep -q "^nodometer gather: $1 is not installed: .* rsync here and on the hosts, and ssh" \
		"$scratch/errors" || fail "without $1: $(cat "$scratch/errors")"
}
lacks rsync
ln -s "$(command -v rsync)" "$scratch/bin/rsync"
lacks ssh
