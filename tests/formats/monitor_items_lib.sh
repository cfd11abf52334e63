# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=sh
# monitor_items_lib.sh - raw files with each type that nodometer monitor reads, and their recordings
# as vms.py, an independent reader, prints them
. "$(dirname "$0")/monitor_lib.sh"

schema='!process state kernel swapped priority uid gid rss shared faults,E cpu,E,U=cs
!process_io syscr,E syscw,E read_bytes,E,U=B write_bytes,E,U=B
!cpu user,E,U=cs nice,E,U=cs system,E,U=cs idle,E,U=cs iowait,E,U=cs irq,E,U=cs softirq,E,U=cs
!cpu_virt steal,E,U=cs guest,E,U=cs guest_nice,E,U=cs
!vm pgpgin,E,U=KB pgpgout,E,U=KB pgfault,E pgmajfault,E
!mem MemFree,U=KB Dirty,U=KB Writeback,U=KB
!block rd_ios,E wr_ios,E time_in_queue,E,U=ms
!net rx_packets,E tx_packets,E
!ip in_delivers,E out_requests,E forwarded,E out_discards,E rcvbuf_errors,E
!locks held waiting files'
c32=E,W=32
storage="!xfs create,$c32 lookup,$c32 remove,$c32 read_calls,$c32 write_calls,$c32 \
trans_sync,$c32 trans_async,$c32 trans_empty,$c32 ig_attempts,$c32 ig_found,$c32
!ext4 es_hits,E es_misses,E
!jbd2 transactions,E
!nfsd calls,E read,E write,E"
lustre='!llite open,E create,E lookup,E unlink,E read,E write,E
!osc ldlm_extent_enqueue,E ldlm_glimpse_enqueue,E ldlm_cancel,E
!mdc ldlm_ibits_enqueue,E ldlm_glimpse_enqueue,E ldlm_cancel,E
!ldlm lock_count lock_unused_count resource_count
!ldlm_cbd ldlm_bl_callback,E
!ib port_xmit_packets,E port_rcv_packets,E port_xmit_data,E,U=4B port_rcv_data,E,U=4B'

rows()
{
	cat <<-'ROWS'
	process 9/kthread 83 1 0 20 0 0 0 0 0 0
	process 7/one 83 0 0 20 1000 100 8192 4096 30 50
	process 8/two 82 0 0 20 70000 100 8192 0 30 50
	process 10/gone 90 0 0 20 0 0 0 0 0 0
	process_io 9/kthread 0 0 0 0
	process_io 7/one 4 6 8192 4096
	process_io 10/gone 0 0 0 0
	process_io 8/two 4 6 8192 4096
	cpu 0 100 20 30 500 40 5 6
	cpu_virt 0 7 60 10
	vm - 4000 8000 100 5
	mem - 40960 400 800
	block sda 50 70 3000
	net eth0 30 40
	ip - 11 12 13 14 15
	locks - 5 1 3
	ROWS
}

lustre_rows()
{
	cat <<-'ROWS'
	llite scratch 7 3 9 2 20 30
	osc o1 4 1 2
	mdc m1 6 2 3
	ldlm work-MDT0000-mdc-ffff8104435c8c00 40 30 20
	ldlm work-OST0000-osc-ffff8104435c8c00 7 6 5
	ldlm_cbd - 9
	ib mlx5_0.1 100 200 512 1024
	ROWS
}

storage_rows()
{
	cat <<-'ROWS'
	xfs sda1 3 9 2 20 30 4 50 6 80 70
	ext4 sdb1 1000 10
	jbd2 sdb1-8 40
	nfsd - 900 300 200
	ROWS
}

head='$hpcperfstats 1.0.2
$hostname n1.example.org
$uptime 1000'
{ echo "$head"; echo "$schema"; printf '\n1700000000 -\n'; rows; printf '\n1700000010 -\n'; rows
  # the clock was set back before this sample
  printf '\n1700000004 -\n'; rows; printf '\n1700000020 -\n'; rows; } >"$out/plain"
{ echo "$head"; echo "$schema"; echo "$lustre"; printf '\n1700000000 -\n'; rows; lustre_rows
  printf '\n1700000010 -\n'; rows; lustre_rows; } >"$out/lustre"

{ echo "$head"; echo "$schema"; echo "$storage"; printf '\n1700000000 -\n'; rows; storage_rows
  printf '\n1700000010 -\n'; rows; storage_rows; } >"$out/storage"

# recorded FILE: record all classes of FILE, and write what vms.py prints for the recording to
# $out/FILE.got
recorded()
{
	"$NODOMETER" monitor all_classes --input "$out/$1" --record "$out/$1.dat" 2>"$out/err" ||
		fail "$1: $(cat "$out/err")"
	python3 "$srcdir/tests/formats/vms.py" read "$out/$1.dat" >"$out/$1.got" ||
		fail "$1: another reader cannot read it"
}
