#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# run.sh - file system checkers, git and a compiler give the same results in a traced mount as
# without it
#
# Runs in a build folder, for root and for another user.
packages='acl fio git gcc make jq util-linux'
namespaces='-m'
. "$(dirname "$0")/../lib.sh"
trace=$bin/nodometer-trace
[ -x "$trace" ] || skip 'built without libfuse3'
[ "$(id -u)" = 0 ] || skip 'not root: nobody else can be played'
[ -w /dev/fuse ] || skip 'there is no /dev/fuse'
mount --make-rprivate / || skip 'no mount namespace'

# Use a folder that other users may enter; the build folder may forbid this.
place=$(mktemp -d /tmp/nodometer-trace.XXXXXX) || exit 1
chmod 755 "$place"
mkdir "$place/shadow" "$place/mount" "$place/plain"
chmod 1777 "$place/shadow" "$place/plain"
m=$place/mount
last=0
trap 'last=$?; umount -l "$m" 2>/dev/null; rm -rf "$place"; (exit $last); clean_up' EXIT

# mounted OPTION...: mount $place/shadow at $m with nodometer trace, or skip the test
mounted()
{
	rm -f "$scratch/log"
	"$trace" --shadow "$place/shadow" --mount "$m" "$@" 2>"$scratch/log" &
	tracer=$!
	wait_until grep -q 'is traced at' "$scratch/log" ||
		skip 'this system lets nobody mount FUSE'
}

unmounted()
{
	umount "$m" || fail 'the mount stays busy'
	wait "$tracer" || fail "the tracer's status was $?"
}

cc -O1 -o "$place/fsx" "$here/fsx.c" || die 'fsx.c does not compile'
cc -O1 -o "$place/posix" "$here/posix.c" || die 'posix.c does not compile'

# as WHO COMMAND...: run COMMAND as user WHO, root or nobody
as()
{
	who=$1
	shift
	case $who in
	root) "$@" ;;
	*) HOME=$place/plain setpriv --reuid 65534 --regid 65534 --clear-groups "$@" ;;
	esac
}

# quiet NAME COMMAND...: run COMMAND, and print its output only if it fails
quiet()
{
	name=$1
	shift
	if "$@" >"$scratch/said" 2>&1; then
		say "$name: passed"
	else
		tail -n 20 "$scratch/said"
		fail "$name"
	fi
}

# Make a project from this source.
project=$place/project
mkdir "$project"
cp -r "$top/lib/base" "$project"
cat >"$project/Makefile" <<'MAKE'
objects := $(patsubst %.c,%.o,$(wildcard base/*.c))
all.a: $(objects)
	$(AR) rcsD $@ $^
%.o: %.c
	$(CC) -D_GNU_SOURCE -DPACKAGE_VERSION='"1"' -O1 -I. -c -o $@ $<
MAKE
cat >"$place/gitconfig" <<'GIT'
[user]
	name = nobody
	email = nobody@localhost
[safe]
	directory = *
[gc]
	auto = 0
GIT
export GIT_CONFIG_GLOBAL="$place/gitconfig"
(cd "$project" && git init -q && git add . && git commit -qm first) || die 'no project'
chmod -R a+rX "$project"

# builds WHO FOLDER: clone and build in the mount and without it; both must give the same results
builds()
{
	for at in "$2" "$place/plain"; do
		as "$1" git clone -q --no-hardlinks "$project" "$at/$1" || return 1
		as "$1" make -s -j2 -C "$at/$1" || return 1
	done
	(cd "$2/$1" && git status --porcelain | grep -v '^??' | grep .) && return 1
	as "$1" git -C "$2/$1" fsck --full || return 1
	cmp "$2/$1/all.a" "$place/plain/$1/all.a" && diff -r -x .git "$2/$1" "$place/plain/$1"
}

# same WHO FOLDER: system calls in FOLDER must have the same results in and outside the mount
same()
{
	as "$1" "$place/posix" "$2" >"$scratch/mounted" || return 1
	as "$1" "$place/posix" "$place/plain" >"$scratch/direct" || return 1
	[ "$(wc -l <"$scratch/direct")" -gt 100 ] && diff "$scratch/direct" "$scratch/mounted"
}

# lists FOLDER: set, inherit, mask and remove access control lists in FOLDER; show what other users
# see, and what the lists forbid them
lists()
{
	mkdir -m 700 "$1" "$1/dir" || return 1
	echo text >"$1/file"
	chmod 600 "$1/file"
	setfacl -m u:65534:--x "$1" || return 1
	setfacl -m u:65534:r--,g:65533:rw- "$1/file" || return 1
	setfacl -m d:u:65534:rwx,u:65534:rwx "$1/dir" || return 1
	as nobody cat "$1/file" || return 1
	! as nobody sh -c "echo other >>'$1/file'" 2>/dev/null || return 1
	(umask 077 && echo own >"$1/dir/inherits" && mkdir "$1/dir/sub") || return 1
	as nobody cat "$1/dir/inherits" || return 1
	(cd "$1" && getfacl -R . && stat -c '%n %a' file dir dir/*) || return 1
	chmod g-r "$1/file"	# set the mask, which limits the rights of all users in the list
	! as nobody cat "$1/file" 2>/dev/null || return 1
	(cd "$1" && getfacl file && setfacl -b file && setfacl -k dir && getfacl -R .)
}

# listed FOLDER: access control lists must work as without the mount, if the file system keeps them
listed()
{
	lists "$1" >"$scratch/mounted" || return 1
	lists "$place/plain/acl" >"$scratch/direct" || return 1
	[ "$(wc -l <"$scratch/direct")" -gt 50 ] || return 1
	diff "$scratch/direct" "$scratch/mounted" &&
		diff <(cd "$1" && getfacl -R .) <(cd "$place/shadow/${1#"$m"}" && getfacl -R .)
}

# checks WHO FOLDER: run the checkers of file systems in FOLDER as WHO
checks()
{
	for seed in 1 2; do
		quiet "$1: fsx, seed $seed" as "$1" "$place/fsx" "$2/fsx" $seed
	done
	quiet "$1: names, modes, links, times, locks" same "$1" "$2"
	for engine in psync:1k mmap:4k; do
		quiet "$1: fio --verify, ${engine%:*}" as "$1" fio --name=v --directory="$2" \
			--ioengine=${engine%:*} --rw=randrw --bsrange=${engine#*:}-64k --size=6M \
			--numjobs=2 --verify=crc32c --verify_state_save=0 --fsync=64 --thread \
			--aux-path="$place/plain"
	done
	quiet "$1: git clone and make" builds "$1" "$2"
}

# If neither reads nor writes are recorded, the kernel serves them itself (since Linux 6.9).
for way in 'requests --events all --result' 'passed --events open,creat,close'; do
	# shellcheck disable=SC2086 # a word and options
	set -- $way
	say "$1:"
	folder=$1
	shift
	mounted "$@" --out "$scratch/$folder.csv"
	[ "$folder" = requests ] || grep -q 'the kernel does them directly' "$scratch/log" ||
		say 'this kernel cannot: they are requests here, too'
	for who in root nobody; do
		mkdir "$m/$folder.$who" || die 'no folder'
		[ $who = root ] || chown 65534:65534 "$m/$folder.$who"
		checks $who "$m/$folder.$who"
	done
	quiet 'access control lists' listed "$m/$folder.acl"
	unmounted
	rm -rf "$place/plain"/*
done
quiet 'the report of all that' "$bin/nodometer" trace report --json "$scratch/requests.csv"
say "$(jq .requests "$scratch/said") requests of $(jq '.operations | length' "$scratch/said") kinds"
! grep -Eq '/all.a,file,(read|write),.*,5$' "$scratch/requests.csv" || fail 'an operation had EIO'
finish
