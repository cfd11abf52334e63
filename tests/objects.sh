# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=sh
# objects.sh - a build beside another one takes over the objects that its options do not change
#
# Sourced in an empty folder, with the source in $src.

# objects_beside GCC OPTION...: configures this folder as GCC was, with these options as well, and copies
# the objects of GCC whose sources and headers name no macro of config.h that differs
# shellcheck disable=SC2154 # $src is of those who source it
objects_beside()
{
	of=$1
	shift
	# Also what make compares times with; no library, program or log.
	(cd "$of" && find . -name 'nodometer-[0-9]*' -prune -o \( -name '*.o' -o -name '*.Po' \
		-o -name '*.inc' -o -name .dirstamp \) -print0 |
		tar --format=posix --null -T - -cf -) | tar -xf - || exit 1
	sed -n 's/^\(ac\|am\)_cv_/&/p' "$of/config.log" | grep -v '^ac_cv_env_' >kept
	options=$("$of/config.status" --config)
	# The options of GCC are quoted for a shell.
	eval "\"$src/configure\" $options \"\$@\" --cache-file=kept" >configured 2>&1 ||
		{ tail -n 20 configured; exit 1; }
	for made in config.status config.h stamp-h1 Makefile; do
		touch -r "$of/$made" "$made"
	done
	diff "$of/config.h" config.h | awk '$2 == "#define" { print $3 } $3 == "#undef" { print $4 }' |
		sort -u >macros
	(cd "$src" && grep -lrwFf "$OLDPWD/macros" --include='*.[ch]' --exclude-dir=build .) |
		sed 's|^\.||' >named
	find . -name '*.Po' -exec grep -qFf named {} \; -exec sed -n 's/^\([^ :]*\.o\):.*/\1/p' {} + >stale
	xargs -r rm -f <stale
}
