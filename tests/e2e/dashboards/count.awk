# SPDX-License-Identifier: BSD-3-Clause
# count.awk - count the queries of a list (the first file) whose series are all in OpenMetrics text
# (the second file). Prints "COUNT of ALL", and to LACKS the series that nothing gives.
function parse(selector,    at, rest, i, n, pair)
{
	at = index(selector, "{")
	name = at ? substr(selector, 1, at - 1) : selector
	rest = at ? substr(selector, at + 1, length(selector) - at - 1) : ""
	n = split(rest, pair, ",")
	split("", want)
	for (i = 1; i <= n; i++)
		want[i] = pair[i]
	return n
}
# has_label LABELS PAIR: name="" is a label that is absent
function has_label(labels, pair)
{
	if (pair ~ /=""$/)
		return index(labels, "," substr(pair, 1, length(pair) - 2)) == 0
	return index(labels, "," pair ",") > 0
}
function is_given(selector,    n, i, k, all)
{
	n = parse(selector)
	for (k = 1; k <= series[name]; k++) {
		all = 1
		for (i = 1; i <= n && all; i++)
			all = has_label(given[name, k], want[i])
		if (all)
			return 1
	}
	return 0
}
/^#/ { next }
FNR == NR { query[++n_queries] = $0; next }
{
	at = index($1, "{")
	name = substr($1, 1, at - 1)
	given[name, ++series[name]] = "," substr($1, at + 1, length($1) - at - 1) ","
}
END {
	for (q = 1; q <= n_queries; q++) {
		words = split(query[q], word, " ")
		found = words > 1
		for (w = 2; w <= words; w++)
			if (!is_given(word[w])) {
				print word[w] >LACKS
				found = 0
			}
		total += word[1]
		sum += found ? word[1] : 0
	}
	print sum + 0, "of", total
}
