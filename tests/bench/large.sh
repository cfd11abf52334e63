# shellcheck shell=bash
# SPDX-License-Identifier: BSD-3-Clause
# large.sh - cost of each type on a large node, and how the cost grows; sourced by bench.sh

# make_node CPUS PROCESSES SERVERS: make the root of a node, in memory, unless it exists; $node is its
# path
make_node()
{
	node=$memory/node-$1-$2-$3
	[ -d "$node" ] || "$here/node.sh" "$node" "$@"
}

# calls_by_type: print "calls TYPE N", the system calls of one sample of each type
calls_by_type()
{
	strace -e signal=none -o "$tmp/trace" tests/bench/node -m "$node" 2>"$tmp/log" || return 0
	awk -F '"' '
	/^write\(-1, / { type = $2; next }
	type != "" { calls[type]++ }
	END { for (type in calls) print "calls", type, calls[type] }' "$tmp/trace"
}

# print_types: print a table of the types that cost most, and the cost that cannot be simulated
print_types()
{
	printf '\n%-17s %6s %6s %8s %9s %9s %9s %7s\n' 'per sample' rows calls bytes 'CPU us' \
		'floor us' 'ours us' share
	{ calls_by_type && tests/bench/node -n 300 "$node" | sort -s -k 5,5nr; } | awk '
	function line(name, rows, calls, bytes, own, floor) {
		printf "%-17s %6d %6s %8d %9.1f %9.1f %9.1f %6.1f%%\n", name, rows,
			calls ? calls : "-", bytes, own / 1000, floor / 1000,
			(own - floor) / 1000, 100 * own / all
	}
	function sum(name, which,   i, r, c, b, o, f) {
		for (i = 1; i <= n; i++)
			if (which == "all" || use[i] == which) {
				r += rows[i]; c += calls[type[i]]; b += bytes[i]
				o += own[i]; f += floor[i]
			}
		line(name, r, c, b, o, f)
	}
	$1 == "calls" { calls[$2] = $3; next }
	$1 == "perf_read" { near = $3 / 1000; far = $4 / 1000; next }
	{
		type[++n] = $1; use[n] = $2; rows[n] = $3; bytes[n] = $4; own[n] = $5; floor[n] = $6
		all += $5
		groups += $2 == "on" ? $7 : 0
	}
	END {
		for (i = 1; i <= n; i++)
			if (own[i] >= all / 100)
				line(type[i] (use[i] == "off" ? " *" : ""), rows[i],
					calls[type[i]] + 0, bytes[i], own[i], floor[i])
			else
				few++
		printf "and %d types with less than 1%% each\n", few
		sum("on by default", "on")
		sum("* off by default", "off")
		sum("all", "all")
		printf "\nNot in it: to read a counter of another CPU, the kernel interrupts that CPU.\n"
		if (far)
			printf "Here that takes %.1f us instead of %.1f; ", far, near
		else {
			far = 18; near = 0.3
			printf "It could not be measured here; on a virtual machine it took %d us; ", far
		}
		printf "%d groups of types on by default: about %.1f ms more.\n", groups,
			groups * (far - near) / 1000
	}'
}

# growth UNIT SIZE...: count a sample's instructions on nodes of these sizes; a SIZE is "CPUS
# PROCESSES SERVERS", and only UNIT differs between the sizes
growth()
{
	local of=$1 counted='' size
	shift
	for size; do
		# shellcheck disable=SC2086 # three words
		make_node $size
		counted+=" $(difference instructions "tests/bench/node -w -n %n $node")"
	done
	awk -v of="$of" -v sizes="$*" -v counted="$counted" 'BEGIN {
		column["CPUs"] = 1; column["processes"] = 2; column["servers"] = 3
		split(sizes, size, " ")
		if (split(counted, n, " ") < 3) {
			printf "%-10s %s\n", of, "-"
			exit
		}
		for (i = 1; i <= 3; i++)
			unit[i] = size[3 * (i - 1) + column[of]]
		first = (n[2] - n[1]) / (unit[2] - unit[1])
		then = (n[3] - n[2]) / (unit[3] - unit[2])
		printf "%-10s %4d %4d %4d %9d %9d %9d %7d %7d %6.2f %5s  %s\n", of, unit[1], unit[2],
			unit[3], n[1], n[2], n[3], first, then, then / first, "1.1",
			then / first <= 1.1 ? "held" : "MISSED"
	}'
}

print_growth()
{
	printf '\n%-25s %29s %23s %5s\n' 'growth' 'instructions per sample' 'each one more, ratio' bar
	growth CPUs      '16 128 64' '64 128 64' '256 128 64'
	growth processes '64 32 64'  '64 128 64' '64 512 64'
	growth servers   '64 128 16' '64 128 64' '64 128 256'
}

print_large()
{
	make_node 64 128 64
	cat <<END

A node of 64 CPUs, simulated: 2 packages of Skylake, 8 NUMA nodes, 2 ports of InfiniBand and some of
Omni-Path and Slingshot, 2 Lustre mounts with 64 servers each, NFS, NVMe, 4 jobs, 128 processes of
users.  Its files are in a tmpfs: the kernel copies them but need not make them.  A group of counters
is a file, too.  floor: a loop that does the same preads and nothing else.  Hot, medians of 300
interleaved rounds.
END
	print_types
	print_growth
}
