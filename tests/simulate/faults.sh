#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# faults.sh - each fault of faults/*.patch, planted in a copy of this build, is found by a history
#
# In a build folder. SEEDS histories (1000) at most for each; FAULTS: the names of some of them.
here=$(cd "$(dirname "$0")" && pwd)
top=$here/../..
skip() { echo "SKIP: $*"; exit 77; }
for tool in patch python3; do
	command -v $tool >/dev/null || skip "$tool is not installed"
done
[ -x ./nodometerd ] || { echo "there is no ./nodometerd in $PWD"; exit 99; }
export PYTHONDONTWRITEBYTECODE=1
scratch=$(mktemp -d "${TMPDIR:-/tmp}/faults.XXXXXX") && chmod 755 "$scratch" || exit 99
trap 'rm -rf "$scratch"' EXIT
trap 'exit 99' INT TERM HUP
src=$(sed -n 's/^srcdir = //p' Makefile) build=$scratch/build
case $src in /*) ;; *) build=$scratch/src/$(realpath --relative-to="$top" .) ;; esac
mkdir -p "$scratch/src" "$build" "$scratch/node" || exit 99
(cd "$top" && tar cf - --exclude=./build --exclude=./.git .) |
	tar xf - -C "$scratch/src"
tar cf - --exclude=./tests/unit --exclude=./scratch --exclude='*.tmp' . | tar xf - -C "$build"
case $src in	# in its files are names of sources
/*) find "$build" -name Makefile -o -name '*.Po' |
	while read -r file; do sed -i "s|$src|$scratch/src|g" "$file"; done ;;
esac
# shellcheck disable=SC2086 # a compiler and its words
${CC:-cc} -O2 -shared -fPIC -D_GNU_SOURCE -I "$top" -o "$scratch/sim.so" "$here/shim.c" \
	"$here/disk.c" "$here/world.c" -ldl || skip 'no compiler for shim.c'

# built: what a patch changed, in the copy
built() {
	make -s -C "$build" ACLOCAL=: AUTOCONF=: AUTOMAKE=: AUTOHEADER=: \
		nodometer nodometerd nodometer-send nodometer-tidy >"$scratch/make.log" 2>&1 ||
		{ tail -5 "$scratch/make.log"; return 1; }
}
found=0 all=0
for patch in "$here"/faults/*.patch; do
	name=$(basename "$patch" .patch)
	case " ${FAULTS:-$name} " in *" $name "*) ;; *) continue ;; esac
	all=$((all + 1))
	patch -s -p1 -d "$scratch/src" <"$patch" && built || exit 99
	if python3 "$here/simulate.py" "$build" "$scratch/sim.so" "$scratch/node" \
		--seeds "${SEEDS:-1000}" --until-wrong >"$scratch/out"; then
		echo "$name: NOT FOUND in ${SEEDS:-1000} histories"
	else
		found=$((found + 1))
		echo "$name: $(grep -m 1 '^WRONG' "$scratch/out" || tail -1 "$scratch/out")"
	fi
	patch -s -R -p1 -d "$scratch/src" <"$patch" || exit 99
done
echo "$found of $all planted faults found"
[ $found = $all ]
