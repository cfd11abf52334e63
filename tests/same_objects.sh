#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# same_objects.sh - prove that a change of comments, or of names of static functions, does not
# change the object code
#
#   same_objects.sh COMMIT [FOLDER...]   in a build folder
#
# Compiles the current sources and those of COMMIT without asserts, strips the objects, and compares
# them.
set -u
here=$(cd "$(dirname "$0")/.." && pwd) build=$PWD
if [ $# = 0 ] || [ ! -e config.h ]; then
	echo "usage, in a build folder: $0 COMMIT [FOLDER...]"
	exit 99
fi
commit=$1
shift
scratch=$(mktemp -d) || exit 99
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/before"
git -C "$here" archive "$commit" | tar xf - -C "$scratch/before" || exit 99

# object TOP FILE: compile a source below TOP and print the object; __LINE__ is always 0, so that
# moved lines make no difference
object()
{
	(cd "$1" && ${CC:-cc} -O1 -g0 -DNDEBUG -w -std=gnu11 -D_GNU_SOURCE -D__LINE__=0 -I. \
		-Ilib -Icommands -Idelivery -I"$build" -I"$build/lib" -I"$build/commands" \
		-I"$build/delivery" -include "$build/config.h" -DSBINDIR='"s"' \
		-DPKGLIBEXECDIR='"l"' -DSYSCONFDIR='"e"' -DLOCALSTATEDIR='"v"' \
		-DRUNSTATEDIR='"r"' -c -o "$scratch/o" "$2") || return 1
	strip -s -R .comment "$scratch/o" && cat "$scratch/o"
}

n=0 different=0
sources=$(git -C "$here" ls-files "$@" | grep '\.c$' |
	grep -v -e '^tests/' -e '\.bpf\.c$')
for file in $sources; do
	n=$((n + 1))
	object "$scratch/before" "$file" >"$scratch/1" &&
		object "$here" "$file" >"$scratch/2" &&
		cmp -s "$scratch/1" "$scratch/2" && continue
	echo "$file: another object"
	different=$((different + 1))
done
echo "$n sources compared, $different differ"
[ "$n" -gt 0 ] && [ "$different" = 0 ]
