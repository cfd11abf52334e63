#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# names.sh - no two static functions have the same name, so that a backtrace identifies the function
. "$(dirname "$0")/gate.sh"

# shellcheck disable=SC2046 # file names hold no blanks
out=$(awk -v most=0 '
/^static / && match($0, /[a-z_0-9]+\(/) && !/=/ {
	name = substr($0, RSTART, RLENGTH - 1)
	if (!((name, FILENAME) in seen)) {
		seen[name, FILENAME] = 1
		n++
		files[name]++
		where[name] = where[name] " " FILENAME
	}
}
END {
	for (name in files)
		if (files[name] > 1)
			shared += files[name]
	if (n < 1000)
		print "names.sh: only " n + 0 " static functions were found"
	if (100 * shared > most * n) {
		printf "%d of %d static functions share their name; the limit is %d %%\n",
			shared, n, most
		for (name in files)
			if (files[name] > 1)
				print name ":" where[name]
	}
}' $(c_files | grep '\.c$' | grep -v '^tests/'))
finish $? "$out"
