#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# dist.sh - two clones make the same tarball, although their folders, umasks, times, time zones,
# locales and users differ
#
# Works in a scratch folder, on the files that git tracks or would add. If root runs the test, the
# user of the second clone is nobody.
set -u
src=$(cd "$(dirname "$0")/.." && pwd)
files=$(git -C "$src" ls-files --cached --others --exclude-standard 2>/dev/null) ||
	{ echo 'skipped: the source is no git clone'; exit 77; }
scratch=$(mktemp -d) || exit 99
trap 'rm -rf "$scratch"' EXIT
trap 'exit 1' INT TERM HUP
as='' user=$(id -u)
[ "$user" != 0 ] || { as='setpriv --reuid=65534 --regid=65534 --clear-groups' user=65534:65534; }

cd "$scratch" && chmod 755 . && mkdir tree one another || exit 99
echo "$files" | while read -r f; do
	[ ! -e "$src/$f" ] || echo "$f"
done | tar -C "$src" -T - -c | tar -C tree -x --no-same-owner && cd tree && {
	git init -q && git add -f . && git -c user.name=nobody -c user.email=nobody@example.org \
		commit -qm 'the tree that is tested'
} || exit 99
cd .. || exit 99

# dist COMMAND...: make the tarball of the clone in the current folder, by COMMAND
dist()
{
	XZ_OPT=-1 "$@" sh -c 'autoreconf -fi && ./configure && make dist' >../log 2>&1
}

(
	umask 022 && cd one && git clone -q ../tree source && cd source &&
		TZ=UTC LC_ALL=C dist env
) &
first=$!
# shellcheck disable=SC2086 # a list of words
(
	umask 077 && cd another && git clone -q ../tree of-another-name &&
		chown -R "$user" . && chmod 755 . && cd of-another-name &&
		find . -path ./.git -prune -o -exec touch -hd @86400 {} + &&
		HOME=$PWD TZ=Asia/Kolkata LC_ALL=C.UTF-8 dist $as
)
status=$?
wait $first || status=1
[ $status = 0 ] || { tail -n 20 ./*/log; echo 'no make dist'; exit 1; }
! grep 'not dumped' ./*/log || exit 1	# tar(1) leaves out a path that is too long for the format
sha256sum one/*/*.tar.xz another/*/*.tar.xz
cmp one/*/*.tar.xz another/*/*.tar.xz && exit 0
for clone in one another; do
	tar -tvf $clone/*/*.tar.xz >$clone.list
done
diff one.list another.list | head -n 20
exit 1
