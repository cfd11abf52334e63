# SPDX-License-Identifier: BSD-3-Clause
# records.awk - make up a day of a node with the jobs that README and the pages mention
#
#   awk -v host=NAME -v from=EPOCH -f records.awk SCHEMA
#
# SCHEMA has a line of "nodometer types --schema" for each type; keys without a value in this script
# are 0.
BEGIN {
	CONVFMT = "%.0f"
	print "$hpcperfstats 1.0.2\n$hostname " host "\n$uname Linux x86_64 6.1.0\n$uptime 1000"
	print "$peak flops=100000000000 bandwidth=20000000000"
}
{
	print
	type = substr($1, 2)
	n_keys[type] = NF - 1
	for (i = 2; i <= NF; i++) {
		key = $i
		sub(/,.*/, "", key)
		keys[type, i - 1] = key
	}
}

# row(TYPE, DEVICE, "KEY VALUE KEY VALUE..."): print a row
function row(type, device, text,	word, n, i, value)
{
	n = split(text, word, " ")
	for (i = 1; i < n; i += 2)
		value[word[i]] = word[i + 1]
	printf "%s %s", type, device
	for (i = 1; i <= n_keys[type]; i++)
		printf " %.0f", value[keys[type, i]]
	print ""
}

END {
	split("JOB 4711 1981063 7", job)
	srand(length(host))
	# a record every ten minutes; each job runs for almost six hours
	for (i = 0; i <= 144; i++) {
		part = i % 36
		id = part && host !~ /storage/ ? job[int(i / 36) + 1] : "-"
		busy = part ? 0.9 + 0.05 * rand() : 0.01
		user += 60000 * busy
		# system time is a twentieth of the user time
		idle += 60000 * (1 - busy * 21 / 20)
		bytes += 1e9 * (1 + rand())
		used = 8000000 + 100000 * part
		printf "\n%d %s\n", from + 600 * i, id
		if (id != "-" && part == 1) print "%begin " id " source=hook user=ann nodes=3"
		if (id != "-" && part == 35) print "%end " id " source=hook"
		for (c = 0; c < 8; c++)
			row("cpu", c, "user " user " system " user / 20 " idle " idle)
		row("mem", 0, "MemTotal 64000000 MemFree " 64000000 - used " MemUsed " used \
			" FilePages 100000 AnonPages " used - 200000)
		row("ps", "-", "ctxt " user * 10 " load_1 790 load_5 780 load_15 770 nr_running 8")
		row("net", "eth0", "rx_bytes " bytes " rx_packets " bytes / 1000 " tx_bytes " bytes / 2)
		row("block", "sda", "rd_ios " bytes / 1e5 " rd_sectors " bytes / 512)
		row("vm", "-", "pgpgin " bytes / 1024 " pgfault " bytes / 1e4)
		row("perf_hw", "-", "cycles " user * 24e7 " instructions " user * 16e7)
		row("intel_8pmc3", 0, "CTL0 4407495 CTR0 " user * 1e5)
		row("intel_x86_uncore_imc_icx", "0/0", "dram_cas_reads " user * 1e6)
		row("llite", "scratch", "read_bytes " bytes " write_bytes " 2 * bytes)
		row("nfs", "home", "server_read " bytes / 10 " server_write " bytes / 5)
		row("nvidia_gpu", 0, "utilization " 100 * busy " energy " 180e6 * i)
	}
}
