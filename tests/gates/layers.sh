#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# layers.sh - includes point to lower layers only: no circle of files or folders, and no folder is
# too large
. "$(dirname "$0")/gate.sh"

# new_folders: print C files in folders without a layer; ignore build folders
new_folders()
{
	for d in */ lib/*/ commands/*/ delivery/*/; do
		[ -e "$d/config.status" ] || ls -d -- "$d"*.[ch] 2>/dev/null
	done
}

# Files in these rooms only compute: they read no file and log nothing.
pure='figures formats'

# Only programs log and write to standard error: files with main(), and rooms that consist of
# programs. Other modules report through a struct listener.
program_rooms='agent/|commands/|openvms/|report/|tests/'
program_rooms="$program_rooms|(xrootd|tcp|filetrace)/[^/]*\$|filetrace/mount/"
speakers='lib/(base/(cli|log)|recorder/options)\.[ch]$'
mute()
{
	# shellcheck disable=SC2046 # file names hold no blanks
	grep -lE '"base/log\.h"|\<stderr\>|STDERR_FILENO, ' $(c_files) |
		grep -vE "^($program_rooms|$speakers)" | while read -r f; do
			grep -q '^int main(' "$f" || echo "$f: an engine logs; use base/listener.h"
		done
}

# circle WHAT: read pairs "A B" (A includes B), and print each circle, also through other files
circle()
{
	tsort 2>&1 >/dev/null |
		sed -n "/contains a loop/!s/^tsort: \(.*\)/\1: includes in a circle of $1/p"
}

# includes: print a pair "FILE FILE" for each include, without suffixes, because a source and its
# header are one module
includes()
{
	# shellcheck disable=SC2046 # file names hold no blanks
	awk '
	/^[ \t]*#[ \t]*include[ \t]*"/ {
		split($0, part, "\"")
		from = FILENAME
		sub(/^(lib|commands|delivery)\//, "", from)
		sub(/\.[ch]$/, "", from)
		sub(/\.h$/, "", part[2])
		if (from != part[2])
			print from, part[2]
	}' $(c_files)
}

# folders: turn pairs of files into pairs "FOLDER FOLDER"; tests may include each other's headers
folders()
{
	awk '{
		sub(/\/[^\/]*$/, "", $1)
		sub(/\/[^\/]*$/, "", $2)
		if ($1 != $2 && $1 !~ /^tests/)
			print $1, $2
	}' | sort -u
}

# large: print folders with more than 30 modules, because a list should be readable at a glance.
# Folders with one file per type or processor may have more.
large()
{
	c_files | grep -v '^tests/' | sed 's/\.[ch]$//' | sort -u | sed 's,/[^/]*$,,' | sort |
		uniq -c | awk '$1 > 30 && $2 !~ /^(collectors|collectors\/pmu|schema\/types)$/ {
			print $2 ": " $1 " modules; more than 30 want folders of their own"
		}'
}

# shellcheck disable=SC2046,SC2154 # file names hold no blanks; layers comes from gate.sh
out=$(includes | circle files; includes | folders | circle folders; large; mute
awk -v layers="$layers" -v pure="$pure" '
BEGIN {
	n = split(pure, line, " ")
	for (i = 1; i <= n; i++)
		computes[line[i]] = 1
	n = split(layers, line, "\n")
	for (i = 1; i <= n; i++) {
		folder = line[i]
		sub(/:.*/, "", folder)
		known[folder] = 1
		sub(/.*:/, "", line[i])
		m = split(line[i], below, " ")
		may[folder, folder] = 1
		for (k = 1; k <= m; k++)
			may[folder, below[k]] = 1
	}
}
FNR == 1 {
	from = FILENAME
	sub(/^(lib|commands|delivery)\//, "", from)
	sub(/\/.*/, "", from)
	if (!known[from])
		print FILENAME ": folder " from " has no layer in tests/gates/gate.sh"
}
/^[ \t]*#[ \t]*include[ \t]*"/ {
	split($0, part, "\"")
	to = part[2]
	if (computes[from] && to ~ /^base\/(log|files|stream|processes)\.h$/)
		print FILENAME ":" FNR ": " from " only computes: no " to
	if (!sub(/\/.*/, "", to) || to ~ /^\./)
		print FILENAME ":" FNR ": include \"" part[2] "\" does not name its folder"
	else if (!may[from, to] && !may[from, "*"])
		print FILENAME ":" FNR ": " from " must not include from " to
}' $(c_files) $(new_folders))
finish $? "$(printf '%s' "$out" | sort -u)"
