# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=sh
# objects.sh - configure a build, and reuse objects of another build that do not depend on the
# differing options
#
# Source this file in an empty folder, with $src set to the folder of the source.

# objects_beside GCC OPTION...: configure this folder with the options of the build GCC and with
# OPTIONs. Copy the objects of GCC, except those that depend on a source or header with a macro that
# differs between the two files config.h.
# shellcheck disable=SC2154 # the caller sets $src
objects_beside()
{
	of=$1
	shift
	# Also copy the generated files whose times make compares, but no library, program or log.
	(cd "$of" && find . -name 'nodometer-[0-9]*' -prune -o \( -name '*.o' -o -name '*.Po' \
		-o -name '*.inc' -o -name '*.skel.h' -o -name .dirstamp \) -print0 |
		tar --format=posix --null -T - -cf -) | tar -xf - || exit 1
	sed -n 's/^\(ac\|am\)_cv_/&/p' "$of/config.log" | grep -v '^ac_cv_env_' >kept
	options=$("$of/config.status" --config)
	# In $options, the options of GCC are quoted for a shell.
	eval "\"$src/configure\" $options \"\$@\" --cache-file=kept" >configured 2>&1 ||
		{ tail -n 20 configured; exit 1; }
	for made in config.status config.h stamp-h1 Makefile; do
		touch -r "$of/$made" "$made"
	done
	diff "$of/config.h" config.h | awk '$2 == "#define" { print $3 } $3 == "#undef" { print $4 }' |
		sort -u >macros
	(cd "$src" && grep -lrwFf "$OLDPWD/macros" --include='*.[ch]' --exclude-dir=build .) |
		sed 's|^\.||' >named
	find . -name '*.Po' -exec grep -lFf named {} + |
		xargs -r sed -n 's/^\([^ :]*\.o\):.*/\1/p' | xargs -r rm -f
}
