# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=sh
# copy.sh - copy the source and this build, so that a test can change files and rebuild
#
# Sourced in a build folder with the folders $top, the source, and $scratch. Sets $build.
src=$(sed -n 's/^srcdir = //p' Makefile) build=$scratch/build
[ "$src" ] || { echo "there is no build in $PWD"; exit 99; }
case $src in /*) ;; *) build=$scratch/src/$(realpath --relative-to="$top" .) ;; esac
mkdir -p "$scratch/src" "$build" || exit 99
(cd "$top" && tar cf - --exclude=./build --exclude=./.git .) | tar xf - -C "$scratch/src"
tar cf - --exclude=./scratch --exclude=./howto --exclude='*.tmp' . | tar xf - -C "$build"
case $src in	# in its files are names of sources
/*) find "$build" -name Makefile -o -name '*.Po' |
	while read -r file; do sed -i "s|$src|$scratch/src|g" "$file"; done ;;
esac

# libraries: those of the copy; the rules of some tests do not name them all
libraries() { (cd "$build" && echo lib*.a); }

# build TARGET...: in the copy; the output is in $scratch/make.log
build() {
	make -s -C "$build" ACLOCAL=: AUTOCONF=: AUTOMAKE=: AUTOHEADER=: "$@" \
		>"$scratch/make.log" 2>&1
}
