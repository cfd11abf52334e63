#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# without_parts.sh - a build without a part has nothing of this part, and the front end says why its
# commands are missing
#
#   without_parts.sh GCC PART       PART: xrootd, delivery, tcp, filetrace or openvms; core: all
#
# Runs in an empty folder beside GCC, a build with all parts. A build without all parts runs its
# unit tests; with CHECK=1 every build runs all its tests.
set -u
gcc=$1 part=$2
src=$(sed -n 's/^top_srcdir = //p' "$gcc/Makefile")
case $src in /*) ;; *) src=$(cd "$gcc/$src" && pwd) ;; esac
# shellcheck source=objects.sh
. "$src/tests/objects.sh"
failed=0
fail() {
	echo "FAIL: $*"
	failed=1
}

# programs PART: print the names of a part's programs, without "nodometer-"
programs()
{
	case $1 in
	xrootd) echo xrootd mpxstats ;;
	delivery) echo send answer fetch remote ;;
	filetrace) echo trace ;;
	openvms) echo monitor ;;
	*) echo "$1" ;;
	esac
}

case $part in
core) parts='xrootd delivery tcp filetrace openvms' option=--enable-core ;;
*) parts=$part option=--disable-$part ;;
esac
# Without delivery, two files of its sinks are still compiled: they serve the page of "nodometer
# xrootd --listen".
borrowed='^$'
[ "$part" != delivery ] || borrowed='^delivery/sinks/\(page_server\|secret\)\.o$'
objects_beside "$gcc" "$option"
# shellcheck disable=SC2086 # a list of words
rm -rf $parts
units=
[ "$part" != core ] || units=unit-tests
{ make "-j$(nproc)" all && { [ -z "$units" ] || make "-j$(nproc)" $units; }; } >built 2>&1 ||
	{ grep -v '^  [A-Z]* ' built | tail -n 40; exit 1; }
make install DESTDIR="$PWD/root" >installed 2>&1 || { tail -n 20 installed; exit 1; }

# The part is not compiled, installed or offered; its commands name the configure option that left
# out the part.
(cd root && find . ! -type d) >files
for of in $parts; do
	! find "$of" -name '*.o' 2>/dev/null | grep -v "$borrowed" || fail "objects in $of"
	for program in $(programs "$of"); do
		! grep -E "/nodometer-$program(-[a-z]*)?@?(\.[1-8]|\.service|\.socket)?\$" files |
			grep -v 'nodometer-monitor\.5' || fail "installed without $of"
		! ./nodometer --help | grep "^  $program " || fail "in --help without $of"
		! grep "^[co][a-z]*	$program\>" packaging/completions/tables ||
			fail "completed without $of"
		./nodometer "$program" >said 2>&1
		status=$?
		[ $status = 2 ] || fail "nodometer $program: status $status, not 2"
		grep -qx "nodometer: $program is not built: configured with --disable-$of" said ||
			fail "nodometer $program: $(cat said)"
	done
done

# of_source FOLDER: print the files in FOLDER that are files of the source, too
of_source()
{
	(cd "$1" && find . -type f) | sort | while read -r file; do
		[ ! -e "$src/$file" ] || echo "$file"
	done
}

# A tarball contains all parts, even if it is made by a build that lacks some.
make distdir >listed 2>&1 || { tail -n 20 listed; exit 1; }
tree=$(echo nodometer-[0-9]*)
(cd "$gcc" && make -s distdir distdir="$PWD/all" >/dev/null 2>&1)
of_source "$tree" >has
of_source "$gcc/all" >all
grep -q '/xrootd/' all || fail 'no list of a whole tarball'
diff all has || fail "make dist without $part leaves files out"
chmod -R u+w "$tree" "$gcc/all" && rm -rf "$tree" "$gcc/all" root
[ $failed -eq 0 ] || exit 1

# shellcheck disable=SC2016 # make expands it
if [ "${CHECK:-0}" = 1 ]; then
	make "-j$(($(nproc) * 4))" check GATES=
elif [ "$part" = core ]; then
	make "-j$(($(nproc) * 4))" check TESTS='$(LONG_UNIT) $(UNIT)'
fi
