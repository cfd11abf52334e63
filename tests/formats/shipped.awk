# SPDX-License-Identifier: BSD-3-Clause
# shipped.awk - a raw file of host H with N records of ten minutes, the first one at FIRST
# (%d of some awks ends at 2^31)
BEGIN {
	print "$hpcperfstats 1.0.2\n$hostname " H "\n$boot_id a"
	print "!cpu user,E,U=cs system,E,U=cs idle,E,U=cs"
	print "!mem MemTotal,U=KB MemFree,U=KB AnonPages,U=KB"
	print "!meminfo MemAvailable,U=KB"
	print "!net rx_bytes,E,U=B tx_bytes,E,U=B rx_errors,E"
	print "!ib port_rcv_data,E,U=4B port_xmit_data,E,U=4B symbol_error,E link_downed,E"
	print "!block rd_sectors,E,U=512B wr_sectors,E,U=512B"
	print "!intel_rapl pkg_energy,E,U=mJ"
	print "!ipmi_dcmi power,U=W"
	print "!nvidia_gpu utilization energy,E,U=mJ"
	print "!nvidia_gpm elapsed,E,U=ns sm,E,U=ns tensor,E,U=ns fp64,E,U=ns fp32,E,U=ns dram_bytes,E,U=B"
	print "!llite read_bytes,E,U=B write_bytes,E,U=B"
	print "!nfs server_read,E,U=B server_write,E,U=B"
	print "!intel_8pmc3 CTL0,C CTL1,C CTL2,C CTR0,E,W=48 CTR1,E,W=48 CTR2,E,W=48"
	print "!intel_x86_uncore_imc_icx dram_cas_reads,E,W=48 dram_cas_writes,E,W=48"
	print "!amd64_pmc CTL0,C CTR0,E,W=48"
	print "!intel_skx_imc CTL0,C CTL1,C CTR0,E,W=48 CTR1,E,W=48"
	print "!amd64_df CTL0,C CTL1,C CTL2,C CTL3,C CTR0,E,W=48 CTR1,E,W=48 CTR2,E,W=48 CTR3,E,W=48"
	print "!ps load_1 nr_running"
	print "!gpu_job processes"
	print "!job cpu,E,U=us mem,U=B mem_limit,U=B anon,U=B pgmajfault,E oom_kill,E rd_bytes,E,U=B wr_bytes,E,U=B"
	print "!xrootd opens,E closes,E closes_forced,E read_bytes,E,U=B readv_bytes,E,U=B write_bytes,E,U=B open_files"
	print "!xrootd_redirect redirects,E"
	print "!xrootd_cache hit_bytes,E,U=B miss_bytes,E,U=B bypass_bytes,E,U=B"
	print "!xrootd_tpc copies,E failed,E"
	print "!xrootd_transfer read_bytes,E,U=B readv_bytes,E,U=B"
	print "!xrootd_bytes in,E,U=B out,E,U=B in_explained,E,U=B out_explained,E,U=B"
	print "!xrootd_server datagrams,E lost,E"
	print "!xrd_link num"
	for (i = 0; i < N; i++) {
		printf "\n%d 7\n", FIRST + 600 * i
		if (i == 0)
			print "%begin 7"
		printf "cpu 0 %.0f %.0f %.0f\n", 3000 * i, 100 * i, 56900 * i
		printf "mem 0 %.0f %.0f %.0f\n", 1000000, 400000 - i, 500000 + i
		printf "meminfo - %.0f\n", 450000 - i
		printf "net eth0 %.0f %.0f %.0f\n", 6000000 * i, 1200 * i, 0
		printf "ib mlx5_0 %.0f %.0f 0 0\n", 150000 * i, 300 * i
		printf "block sda %.0f %.0f\n", 1200 * i, 600 * i
		printf "intel_rapl 0 %.0f\n", 60000000 * i
		printf "ipmi_dcmi - %.0f\n", 400
		printf "nvidia_gpu 0 %.0f %.0f\n", 90, 180000000 * i
		printf "nvidia_gpm 0 %.0f %.0f %.0f %.0f %.0f %.0f\n", 6e11 * i, 5e11 * i, 4e11 * i,
			3e11 * i, 2e11 * i, 6e11 * i
		printf "llite scratch %.0f %.0f\n", 6e9 * i, 3e9 * i
		printf "nfs /home %.0f %.0f\n", 6e8 * i, 3e8 * i
		# events of Intel: scalar and packed of 64 bit, scalar of 32 bit
		printf "intel_8pmc3 0 4391367 4395207 4391623 %.0f %.0f %.0f\n", 3e11 * i, 2e11 * i,
			1e11 * i
		printf "intel_x86_uncore_imc_icx 0/0 %.0f %.0f\n", 6e9 * i, 3e9 * i
		printf "amd64_pmc 1 4456195 %.0f\n", 3e11 * i
		printf "intel_skx_imc 0/0 4195076 4197380 %.0f %.0f\n", 6e9 * i, 3e9 * i
		printf "amd64_df 1 4208647 4208711 4208775 4208839 %.0f 0 0 0\n", 3e9 * i
		printf "ps - %.0f %.0f\n", 100 + i, 2
		printf "gpu_job nvidia/0 %.0f\n", i
		printf "xrootd s1:1094 %.0f %.0f %.0f %.0f %.0f %.0f %.0f\n", 60 * i, 60 * i, i,
			1000000 * i, 2000000 * i, 3000000 * i, 5
		printf "xrootd_redirect s1:1094 %.0f\n", 600 * i
		printf "xrootd_cache s1:1094 %.0f %.0f %.0f\n", 800000 * i, 100000 * i, 100000 * i
		printf "xrootd_tpc s1:1094 %.0f %.0f\n", 10 * i, i
		printf "xrootd_transfer s1:1094:cms %.0f %.0f\n", 1000000 * i, 2000000 * i
		printf "xrootd_bytes s1:1094 %.0f %.0f %.0f %.0f\n", 3010000 * i, 3010000 * i,
			3000000 * i, 3000000 * i
		printf "xrootd_server s1:1094 %.0f %.0f\n", 100 * i, i
		printf "xrd_link s1:1094 %.0f\n", 7
		printf "job 7 %.0f %.0f %.0f %.0f %.0f %.0f %.0f %.0f\n", 54000000 * i, 2000000 + i, 4000000,
			1000000 + i, 6 * i, (i > 3), 614400 * i, 60 * i
	}
}
