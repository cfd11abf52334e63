#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# layers.sh - a folder includes only from folders below it, and no file in a circle
. "$(dirname "$0")/gate.sh"

# new_folders: C files below the top that no layer was given to; a build folder is none of ours
new_folders()
{
	for d in */; do
		[ -e "$d/config.status" ] || ls -d -- "$d"*.[ch] 2>/dev/null
	done
}

# Rooms whose files only compute: they read no file and log nothing.
pure='figures formats'

# circles: the files of one room that include one another, directly or through others.  Rooms that
# still have such files are named here.
circles()
{
	# shellcheck disable=SC2046 # file names hold no blanks
	awk -v except='base collectors formats recorder tracers tests' '
	BEGIN {
		n = split(except, name, " ")
		for (i = 1; i <= n; i++)
			skip[name[i]] = 1
	}
	/^[ \t]*#[ \t]*include[ \t]*"/ {
		split($0, part, "\"")
		from = FILENAME
		sub(/\.[ch]$/, "", from)
		sub(/\.h$/, "", part[2])
		split(from, room, "/")
		if (from != part[2] && !skip[room[1]])
			print from, part[2]
	}' $(c_files) | tsort 2>&1 >/dev/null |
		sed -n '/contains a loop/!s/^tsort: \(.*\)/\1: includes in a circle/p'
}

# shellcheck disable=SC2046,SC2154 # file names hold no blanks; layers comes from gate.sh
out=$(circles; awk -v layers="$layers" -v pure="$pure" '
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
