# SPDX-License-Identifier: BSD-3-Clause
# whole_rows.awk - check that every group of "nodometer cat --json" has as many rows as its last row
# says
/"values":/ { rows++ }
/"type":"nodometer","device":"-"/ {
	match($0, /"rows":[0-9]+/)
	told = substr($0, RSTART + 7, RLENGTH - 7)
	if (told + 0 != rows) {
		print "a group of " told " rows came as " rows ": " $0
		bad = 1
	}
	rows = 0
	groups++
}
END {
	if (rows > 0) {
		print rows " rows of a group came without its last one"
		bad = 1
	}
	exit bad
}
