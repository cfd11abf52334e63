#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# touched.sh - how much code and data a sample touches in the steady state, on two nodes
#
# usage: touched.sh [small | large]
#
# Runs in the build folder for about a minute. Prints the numbers of system calls, instructions in
# user mode, and distinct 64-byte cache lines of code and of data: after a pause, the processor has
# to fetch each of these lines from memory. Then prints the twenty source files with the most
# instructions.
set -u
here=$(cd "$(dirname "$0")" && pwd)
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
# address at which valgrind loads position-independent programs (coregrind/m_ume/elf.c)
base=0x108000

# trace COMMAND...: print "CALL", "I ADDRESS" or "D ADDRESS" for each system call, instruction and
# access to data between the two calls of mark()
trace()
{
	LD_BIND_NOW=1 valgrind --tool=lackey --trace-mem=yes --trace-syscalls=yes --log-fd=9 \
		--child-silent-after-fork=yes "$@" 9>&1 >/dev/null 2>"$tmp/log" | awk '
	/sys_write \( 4294967295,/ { on = !on; next }
	# skip clock_gettime(), which the vDSO serves without a system call outside valgrind
	!on || /sys_clock_gettime\( [017],/ { next }
	/^SYSCALL.* sys_/ { print "CALL"; next }
	$1 ~ /^[ILSM]$/ { sub(",.*", "", $2); print $1 == "I" ? "I" : "D", $2 }'
}

# files_of PROGRAM ADDRESSES: print the source file of each address. Code of an inlined function
# counts for the file of its caller.
files_of()
{
	local address
	while read -r address; do
		printf '%x\n' $((16#$address - base))
	done <"$2" | addr2line -a -i -e "$1" | awk -v root="$(cd "$here/../.." && pwd)/" '
	/^0x/ { if (NR > 1) print file; next }
	{
		sub(" .*", ""); sub(":[^:]*$", ""); sub("^.*/\\.\\./", ""); sub("^" root, "")
		file = $0 == "??" ? "libc" : $0
	}
	END { print file }'
}

# count NAME PROGRAM [ARGUMENT...]: trace a program and print the table
count()
{
	local name=$1
	shift
	trace "$@" >"$tmp/trace"
	[ -s "$tmp/trace" ] || { echo "$name: -: $(tail -n 1 "$tmp/log")"; return; }
	awk '$1 == "I" && !seen[$2]++ { print $2 }' "$tmp/trace" >"$tmp/addresses"
	files_of "$1" "$tmp/addresses" >"$tmp/files"
	paste -d ' ' "$tmp/addresses" "$tmp/files" >"$tmp/code"
	awk -v name="$name" '
	function line(address,   n) {
		n = length(address)
		return substr(address, 1, n - 2) \
			int((index("0123456789abcdef", substr(address, n - 1, 1)) - 1) / 4)
	}
	FNR == NR { address = $1; sub("^[^ ]* ", ""); file[address] = $0; next }
	$1 == "CALL" { calls++ }
	$1 == "D" { data += !data_seen[line($2)]++ }
	$1 == "I" {
		of = file[$2]; instructions++; in_file[of]++
		code += !code_seen[line($2)]++
		lines[of] += !file_seen[of, line($2)]++
	}
	END {
		sort = "sort -k 2,2nr | head -n 20"
		form = "%-32s %8s %12s %6s %6s\n"
		printf form, name, "calls", "instructions", "code", "data"
		printf form, "a sample", calls, instructions, code, data
		fflush()
		for (of in in_file)
			printf form, of, "", in_file[of], lines[of], "" | sort
	}' "$tmp/code" "$tmp/trace"
}

mkdir "$tmp/archive"
[ "${1:-small}" != small ] || count 'small node' tests/bench/sample -m -n 2 -o "$tmp/archive"
[ "${1:-large}" = large ] || exit 0
"$here/node.sh" "$tmp/node"
count 'simulated node, 64 CPUs' tests/bench/node -w -n 2 "$tmp/node"
