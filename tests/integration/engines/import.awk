# SPDX-License-Identifier: BSD-3-Clause
# import.awk - convert the series of a promtool test to samples, ten minutes apart, from FIRST on
#
# Usage: awk -v FIRST=EPOCH -f import.awk TEST.yaml. The output has the format that VictoriaMetrics
# imports, with times in milliseconds.
function sample(v) { printf "%s %.10g %.0f000\n", name, v, FIRST + 600 * at++ }
/^      - { series: / {
	split($0, part, "'")
	name = part[2]
	at = 0
	n = split(part[4], words, " ")
	for (i = 1; i <= n; i++) {
		times = 0
		if (split(words[i], half, "x") == 2)
			times = half[2]
		if (half[1] == "_") {
			at += times
			continue
		}
		split(half[1], step, "+")
		for (k = 0; k <= times; k++)
			sample(step[1] + k * step[2])
	}
}
