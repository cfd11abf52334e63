# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=sh
# copy.sh - copy the source and the build in this folder, so that a test can change files of the
# source and build again
#
# Source this file in a build folder, with $top set to the folder of the source and $scratch to an
# empty folder. The source is copied to $scratch/src, and the build to $build.
src=$(sed -n 's/^srcdir = //p' Makefile) build=$scratch/build
[ "$src" ] || { echo "there is no build in $PWD"; exit 99; }
case $src in /*) ;; *) build=$scratch/src/$(realpath --relative-to="$top" .) ;; esac
mkdir -p "$scratch/src" "$build" || exit 99
(cd "$top" && tar cf - --exclude=./build --exclude=./.git .) | tar xf - -C "$scratch/src"
tar cf - --exclude=./scratch --exclude=./howto --exclude='*.tmp' . | tar xf - -C "$build"
from=$(cd "$src" && pwd)	# files of the build contain paths of the source and of the build
find "$build" -name Makefile -o -name '*.Po' | while read -r file; do
	sed -i "s|$PWD|$build|g; s|$from|$scratch/src|g" "$file"
done

# libraries: print the names of the copy's libraries. Build all of them before a test, because build
# rules of some tests do not name all libraries that the test needs.
libraries() { (cd "$build" && echo lib*.a); }

# build TARGET...: run make in the copy; the output is in $scratch/make.log
build() {
	make -s -C "$build" ACLOCAL=: AUTOCONF=: AUTOMAKE=: AUTOHEADER=: "$@" \
		>"$scratch/make.log" 2>&1
}
