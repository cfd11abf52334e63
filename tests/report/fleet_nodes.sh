# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=sh
# fleet_nodes.sh - make nodes' folders with records for tests of nodometer fleet

# nodes DIR: for each line "NAME [WORD=VALUE...]" on standard input, make a folder with 5 records,
# 10 minutes apart. Words: at: seconds to add to the times; version and types: of the agent; lost:
# lost record groups; error: a type in error; first: jobs of the first two records; mark: mark in
# the second record; last: jobs of the other records; fill: number of further rows.
nodes()
{
	mkdir -p "$1"
	awk -v dir="$1" -v base="$base" '
	function put(text) { printf "%s", text >file }
	function record(time, jobs, mark,    i, n, type, costs, rows) {
		put("\n" time " " jobs "\n" mark)
		for (i = 1; i <= n_types; i++) {
			put(types[i] " - 1 2\n")
			costs = costs "nodometer " types[i] " 0 0 1 " \
				(types[i] == is["error"] ? 1 : 0) " 0\n"
		}
		for (i = 0; i < is["fill"] + 0; i++)
			put("cpu " i " 1 2\n")
		rows = n_types * 2 + 1 + is["fill"]
		put(costs "nodometer - 0 0 " rows " " (is["lost"] + (is["error"] != "")) " 0\n")
	}
	{
		delete is
		is["version"] = "0.1.0"
		is["types"] = "cpu,job,mem,net"
		is["first"] = is["last"] = "-"
		for (i = 2; i <= NF; i++)
			is[substr($i, 1, index($i, "=") - 1)] = substr($i, index($i, "=") + 1)
		n_types = split(is["types"], types, ",")
		end = base + is["at"]
		file = dir "/" $1 "/" end - 2400
		put("$hpcperfstats 1.0.2\n$hostname " $1 "\n$agent nodometer " is["version"] "\n" \
		    "$topology sockets=2 cores=32 cpus=0-31 nodes=0-1\n")
		for (i = 1; i <= n_types; i++)
			put("!" types[i] " a,E b,E\n")
		put("!nodometer cpu bytes rows errors stalls\n")
		gsub(/_/, " ", is["mark"])
		for (time = end - 2400; time <= end; time += 600)
			record(time, time <= end - 1800 ? is["first"] : is["last"],
			       time == end - 1800 && is["mark"] ? "%" is["mark"] "\n" : "")
		close(file)
	}'
}
