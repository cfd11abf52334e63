# SPDX-License-Identifier: BSD-3-Clause
# judge.awk - compares rows between marks with the instructions of the loop on CPU 1
#
# awk -v loop=INSTRUCTIONS -v t=TYPE -v named=EVENT -v alias=EVENT -v code=NUMBER -f judge.awk \
#	CONSOLE
function is(what, good) {
	checks++
	if (!good) {
		print "FAIL: " what
		failed++
	}
}
# of FILE, between two marks, on a CPU: how far the key of the type went
function went(file, from, to, type, cpu, key) {
	return value[file, to, type, cpu, key] - value[file, from, type, cpu, key]
}
function near(what, got, want, most) {
	is(what ": " got ", not " want " (" most " of it more)", got >= want && got <= want * (1 + most))
}
function has(file, mark, type, cpu) { return (file, mark, type, cpu) in seen }

{ sub(/\r$/, "") }
!/^@/ { next }
{ file = substr($1, 2); sub(/^@[^ ]* ?/, "") }
file == "types" || file == "hold" { said[file] = said[file] $0 "\n"; next }
/^!/ {
	type = substr($1, 2)
	n[file, type] = NF - 1
	for (i = 2; i <= NF; i++) {
		name = $i
		sub(/,.*/, "", name)
		keys[file, type, i - 1] = name
	}
	next
}
/^[0-9]/ { mark = ""; next }
/^%.* request=/ { mark = substr($1, 2); next }
(file, $1) in n && mark {
	seen[file, mark, $1, $2] = 1
	for (i = 1; i <= n[file, $1]; i++)
		value[file, mark, $1, $2, keys[file, $1, i]] = $(i + 2)
}

END {
	is("types: " said["types"], said["types"] ~ t " +active +2 0 1")
	sub(/,.*/, "", named)
	near("the table's instructions", went("table", "before", "after", t, 1, "instructions"), loop, 0.05)
	near("its cycles, two each", went("table", "before", "after", t, 1, "cycles"),
		2 * went("table", "before", "after", t, 1, "instructions"), 0.05)
	is("no rows while they are released", !has("table", "released", t, 1))
	is("a profiler has all of them: " said["hold"], said["hold"] ~ /^[67] counters, running/)
	near("instructions after that", went("table", "taken", "again", t, 1, "instructions"), loop, 0.05)
	is("no row of a CPU that is off-line", !has("table", "off", t, 1) && has("table", "off", t, 0))
	# POWER's counters below QEMU stop at 2^31, after some seconds, and count in both modes.
	if (t == "arm_neoverse") {
		near("instructions of a CPU that came back", went("table", "back", "running", t, 1,
			"instructions"), loop, 0.05)
		is("of the kernel's own instructions there are few", went("named", "before", "after",
			"pmc_number", 1, "config_" code ":k") < loop / 10)
	}

	p = went("named", "before", "after", "pmc_libpfm", 1, named)
	near("by libpfm4's name", p, loop, 0.02)
	# The emulator gives a CPU the instructions of all of them, while it is in the mode asked for.
	is("the other CPU does nothing of its own", went("named", "before", "after", "pmc_libpfm", 0,
		named) < loop / 10)
	near("the same by the kernel's", went("named", "before", "after", "pmc_kernel", 1, alias ":u"),
		p * 0.9999, 0.0002)	# one is stopped after the other

	for (i = 1; i <= 2; i++) {
		type = i == 1 ? t : "pmc_named"
		key = i == 1 ? "instructions" : named
		on = went("turns", "first", "last", type, 1, "time_running")
		all = went("turns", "first", "last", type, 1, "time_enabled")
		is(type " takes turns: " on " of " all " ns", on > 0.2 * all && on < 0.8 * all)
		near(type ", for the time that it did not count", all ? went("turns", "first", "last", type,
			1, key) * all / on : 0, 1.8 * loop, 0.3)
	}
	print checks - failed " of " checks " checks of counters hold"
	exit failed > 0
}
