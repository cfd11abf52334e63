#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# layers.sh - a folder includes only from folders below it
. "$(dirname "$0")/gate.sh"

# shellcheck disable=SC2046,SC2154 # file names hold no blanks; layers comes from gate.sh
out=$(awk -v layers="$layers" '
BEGIN {
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
	if (!sub(/\/.*/, "", to) || to ~ /^\./)
		print FILENAME ":" FNR ": include \"" part[2] "\" does not name its folder"
	else if (!may[from, to] && !may[from, "*"])
		print FILENAME ":" FNR ": " from " must not include from " to
}' $(c_files) $(ls -d -- */*.[ch] 2>/dev/null))
finish $? "$(printf '%s' "$out" | sort -u)"
