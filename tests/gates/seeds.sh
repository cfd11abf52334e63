#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# seeds.sh - a test names each line of the checklists of the seeds
#
# M stands for MONITOR, P for the TCP monitor, C for the records of cluefs. A test names lines in a
# comment: "M24", or "M19-M31" for a range.
. "$(dirname "$0")/gate.sh"

# named: print the lines that the tests name, one per line
named()
{
	find tests/unit tests/e2e tests/formats tests/tracers tests/integration -type f \
		\( -name '*.c' -o -name '*.sh' -o -name '*.py' \) -print0 |
		xargs -0 grep -hoE '\b[CMP][0-9]+(-[CMP][0-9]+)?\b' | sort -u |
		awk -F- '{
			letter = substr($1, 1, 1)
			last = substr($NF, 2) + 0
			for (i = substr($1, 2) + 0; i <= last; i++)
				print letter i
		}'
}

finish 0 "$({
	named | awk '
		{ seen[$1] = 1 }
		function look(letter, n) {
			for (i = 1; i <= n; i++)
				if (!(letter i in seen))
					print letter i ": no test names this line of the checklist"
		}
		END { look("M", 97); look("P", 96); look("C", 57) }'
} 2>&1)"
