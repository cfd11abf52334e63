/* SPDX-License-Identifier: BSD-3-Clause */
/* test_part_sums.c - keep sums over disks, servers and connections when one of them goes */
#include "tests/unit/test.h"

#include <inttypes.h>
#include "collectors/part_sums.h"
#include "tests/unit/collected.h"

#define SCOPE "sys/fs/cgroup/system.slice/slurmstepd.scope/"
#define CPU_STAT "usage_usec 5\nuser_usec 3\nsystem_usec 2\n"

/* Make an entry, such as "sda1", in the sysfs directory of a disk, such as "8:0". */
static void disk_has(const struct node *n, const char *disk, const char *leaf)
{
	char path[128];
	snprintf(path, sizeof(path), "sys/dev/block/%s/%s", disk, leaf);
	node_put(n, path, "");
}

static void io_stat(const struct node *n, const char *text)
{
	node_put(n, SCOPE "job_7/io.stat", text);
}

static void job_make(struct node *n)
{
	node_make(n, "job");
	node_put(n, SCOPE "job_7/cpu.stat", CPU_STAT);
}

/*
 * The values come from a real kernel: 50 MiB were written through a device-mapper device (dm) to
 * vda and 10 MiB to vdb, and then the dm device was removed.
 */
TEST(a_byte_through_dm_counts_once_and_stays_when_dm_goes)
{
	struct node n CLEANUP(node_free);
	job_make(&n);
	disk_has(&n, "254:0", "holders/dm-0");
	disk_has(&n, "254:16", "size");
	disk_has(&n, "253:0", "slaves/vda");
	io_stat(&n, "254:0 rbytes=0 wbytes=52428800 rios=0 wios=50 dbytes=0 dios=0\n"
		    "253:0 rbytes=0 wbytes=52428800 rios=0 wios=50 dbytes=0 dios=0\n");
	assert_int_equal(node_read(&n, false, "wr_bytes"), 52428800);
	io_stat(&n, "254:16 rbytes=0 wbytes=10485760 rios=0 wios=10 dbytes=0 dios=0\n"
		    "254:0 rbytes=0 wbytes=52428800 rios=0 wios=50 dbytes=0 dios=0\n"
		    "253:0 rbytes=0 wbytes=52428800 rios=0 wios=50 dbytes=0 dios=0\n");
	assert_int_equal(node_read(&n, false, "wr_bytes"), 62914560);
	io_stat(&n, "254:16 rbytes=0 wbytes=10485760 rios=0 wios=10 dbytes=0 dios=0\n"
		    "254:0 rbytes=0 wbytes=52428800 rios=0 wios=50 dbytes=0 dios=0\n");
	assert_int_equal(node_read(&n, true, "wr_bytes"), 62914560);
	io_stat(&n, "254:16 rbytes=0 wbytes=11534336 rios=0 wios=11 dbytes=0 dios=0\n"
		    "254:0 rbytes=0 wbytes=52428800 rios=0 wios=50 dbytes=0 dios=0\n");
	assert_int_equal(node_read(&n, false, "wr_bytes"), 63963136);
	assert_int_equal(node_read(&n, false, "wr_ios"), 61);
}

TEST(a_mirror_counts_at_its_disks)
{
	struct node n CLEANUP(node_free);
	job_make(&n);
	disk_has(&n, "254:32", "holders/md0");
	disk_has(&n, "254:48", "holders/md0");
	disk_has(&n, "9:0", "slaves/vdc");
	disk_has(&n, "9:0", "slaves/vdd");
	io_stat(&n, "254:48 rbytes=0 wbytes=20971520 rios=0 wios=20 dbytes=0 dios=0\n"
		    "254:32 rbytes=12288 wbytes=20971520 rios=3 wios=20 dbytes=0 dios=0\n"
		    "9:0 rbytes=12288 wbytes=20971520 rios=3 wios=20 dbytes=0 dios=0\n");
	assert_int_equal(node_read(&n, false, "wr_bytes"), 41943040);
	assert_int_equal(node_read(&n, false, "rd_bytes"), 12288);
}

/*
 * With LVM on a RAID-5, a kernel thread writes to the disks, and the kernel charges their writes to
 * no process.
 */
TEST(writes_that_no_disk_counts_for_the_job_count_at_the_top)
{
	struct node n CLEANUP(node_free);
	job_make(&n);
	disk_has(&n, "8:0", "sda2/holders/md127");
	disk_has(&n, "8:16", "size");
	disk_has(&n, "9:127", "slaves/sda2");
	disk_has(&n, "9:127", "holders/dm-1");
	disk_has(&n, "253:1", "slaves/md127");
	io_stat(&n, "8:0 rbytes=4096 wbytes=0 rios=1 wios=0\n"
		    "8:16 rbytes=0 wbytes=1000 rios=0 wios=1\n"
		    "9:127 rbytes=4096 wbytes=70000 rios=1 wios=9\n"
		    "253:1 rbytes=4096 wbytes=70000 rios=1 wios=9\n");
	assert_int_equal(node_read(&n, false, "wr_bytes"), 71000);
	assert_int_equal(node_read(&n, false, "rd_bytes"), 4096);
}

TEST(a_loop_device_counts_unless_disks_counted_more)
{
	struct node n CLEANUP(node_free);
	job_make(&n);
	disk_has(&n, "8:0", "size");
	disk_has(&n, "7:0", "size");
	io_stat(&n, "7:0 rbytes=8388608 wbytes=0 rios=8 wios=0\n");
	assert_int_equal(node_read(&n, false, "rd_bytes"), 8388608);
	io_stat(&n, "8:0 rbytes=8400000 wbytes=0 rios=9 wios=0\n"
		    "7:0 rbytes=8388608 wbytes=0 rios=8 wios=0\n");
	assert_int_equal(node_read(&n, false, "rd_bytes"), 8400000);
}

TEST(a_disk_that_comes_back_counts_from_0)
{
	struct node n CLEANUP(node_free);
	job_make(&n);
	io_stat(&n, "8:0 rbytes=100 wbytes=0 rios=3 wios=0\n"
		    "8:16 rbytes=1000 wbytes=0 rios=3 wios=0\n");
	assert_int_equal(node_read(&n, false, "rd_bytes"), 1100);
	io_stat(&n, "8:0 rbytes=110 wbytes=0 rios=4 wios=0\n");
	assert_int_equal(node_read(&n, false, "rd_bytes"), 1110);
	io_stat(&n, "8:0 rbytes=110 wbytes=0 rios=4 wios=0\n"
		    "8:16 rbytes=2000 wbytes=0 rios=4 wios=0\n");
	assert_int_equal(node_read(&n, false, "rd_bytes"), 3110);
	io_stat(&n, "8:0 rbytes=0 wbytes=0 rios=0 wios=0\n"
		    "8:16 rbytes=1990 wbytes=0 rios=4 wios=0\n");
	assert_int_equal(node_read(&n, false, "rd_bytes"), 3110);
	io_stat(&n, "8:0 rbytes=111 wbytes=0 rios=4 wios=0\n"
		    "8:16 rbytes=2001 wbytes=0 rios=4 wios=0\n");
	assert_int_equal(node_read(&n, false, "rd_bytes"), 3112);
}

#define V1 "sys/fs/cgroup/"
#define BYTES "blkio.throttle.io_service_bytes_recursive"

TEST(no_io_in_cgroup_v1_is_0_only_if_the_kernel_counts)
{
	struct node n CLEANUP(node_free);
	node_make(&n, "job");
	node_put(&n, V1 "cpuacct/slurm/uid_0/job_7/cpuacct.usage", "5000\n");
	node_put(&n, V1 "blkio/slurm/uid_0/job_7/" BYTES, "Total 0\n");
	node_put(&n, V1 "blkio/" BYTES, "Total 0\n");
	assert_true(node_read(&n, true, "wr_bytes") == UINT64_MAX);
	node_put(&n, V1 "blkio/" BYTES, "8:0 Read 1\n8:0 Write 2\n8:0 Total 3\nTotal 3\n");
	assert_int_equal(node_read(&n, true, "wr_bytes"), 0);
	assert_true(node_read(&n, false, "wr_ios") == UINT64_MAX);
	node_put(&n, V1 "blkio/slurm/uid_0/job_7/" BYTES,
		 "8:48 Read 7\n8:48 Write 70\n8:48 Total 77\n"
		 "253:2 Read 7\n253:2 Write 70\n253:2 Total 77\nTotal 154\n");
	disk_has(&n, "8:48", "holders/dm-2");
	disk_has(&n, "253:2", "slaves/sdd");
	assert_int_equal(node_read(&n, true, "wr_bytes"), 70);
}

#define OSC "proc/fs/lustre/osc/work-OST000"
#define OF "-osc-ffff8104435c8c00"

static void osc_put(const struct node *n, int ost, unsigned long long bytes, int reads)
{
	char path[128], text[256];
	snprintf(path, sizeof(path), OSC "%d" OF "/stats", ost);
	snprintf(text, sizeof(text), "snapshot_time 1700000000.1 secs.usecs\n"
		 "req_waittime 10 samples [usec] 1 2 30 400\n"
		 "read_bytes 3 samples [bytes] 1 2 %llu\nost_read %d samples [usec] 1 2 3 4\n",
		 bytes, reads);
	node_put(n, path, text);
}

TEST(a_mount_keeps_the_counts_of_a_server_that_goes)
{
	struct node n CLEANUP(node_free);
	node_make(&n, "osc");
	osc_put(&n, 0, 1000, 5);
	osc_put(&n, 1, 7000, 2);
	assert_int_equal(node_read(&n, true, "read_bytes"), 8000);
	node_remove(&n, OSC "1" OF);
	osc_put(&n, 0, 1100, 6);
	assert_int_equal(node_read(&n, true, "read_bytes"), 8100);
	assert_int_equal(node_read(&n, false, "ost_read"), 8);
	osc_put(&n, 1, 50, 1);
	assert_int_equal(node_read(&n, true, "read_bytes"), 8150);
	node_put(&n, OSC "0" OF "/stats", "snapshot_time 1700000100.1 secs.usecs\n");
	/* the counter was reset with lctl(8) */
	assert_int_equal(node_read(&n, false, "read_bytes"), 8150);
	osc_put(&n, 0, 20, 1);
	assert_int_equal(node_read(&n, false, "read_bytes"), 8170);
}

/* The sum over only the servers that can be read would look like the total of the mount. */
TEST(a_mount_has_no_row_while_any_of_its_servers_is_unreadable)
{
	struct node n CLEANUP(node_free);
	node_make(&n, "osc");
	osc_put(&n, 0, 1000, 5);
	osc_put(&n, 1, 7000, 2);
	assert_int_equal(node_read(&n, true, "read_bytes"), 8000);
	for (int ost = 0; ost < 2; ost++) {
		char path[128];
		snprintf(path, sizeof(path), OSC "%d" OF "/stats", ost);
		node_put(&n, path, "read_bytes 3 samples [bytes] 1 2 9000\n");
		source_clear(&n.s);
		assert_int_equal(n.c->collect(&n.s), -ENOENT);
		osc_put(&n, 0, 1000, 5);
		osc_put(&n, 1, 7000, 2);
		assert_int_equal(node_read(&n, false, "read_bytes"), 8000);
	}
}

/* A row without the server would lack its counts, and later add all of them at once. */
TEST(a_rescan_keeps_a_server_that_is_unreadable_at_that_moment)
{
	struct node n CLEANUP(node_free);
	node_make(&n, "osc");
	osc_put(&n, 0, 1000, 5);
	node_put(&n, OSC "1" OF "/stats/a_folder", "");	/* read(2) fails with EISDIR */
	n.s.rescan = true;
	source_clear(&n.s);
	assert_int_equal(n.c->collect(&n.s), -ENOENT);
	node_remove(&n, OSC "1" OF "/stats");
	osc_put(&n, 1, 7000, 2);
	assert_int_equal(node_read(&n, false, "read_bytes"), 8000);
}

#define LLITE "proc/fs/lustre/llite/work-ffff8104435c8c00/stats"
#define STATS(sum) "snapshot_time 1700000000.1 secs.usecs\nopen 7 samples [regs]\n" \
		   "read_bytes 3 samples [bytes] 1 2 " sum "\n"

TEST(a_sum_below_0_costs_that_value_only)
{
	struct node n CLEANUP(node_free);
	node_make(&n, "llite");
	node_put(&n, LLITE, STATS("-5"));
	assert_true(node_read(&n, true, "read_bytes") == UINT64_MAX);
	node_put(&n, LLITE, STATS("1000"));
	assert_int_equal(node_read(&n, false, "read_bytes"), 1000);
	node_put(&n, LLITE, STATS("18446744073709551000"));
	assert_int_equal(node_read(&n, false, "read_bytes"), 1000);
	assert_int_equal(node_read(&n, false, "open"), 7);
	node_put(&n, LLITE, STATS("1100"));
	assert_int_equal(node_read(&n, false, "read_bytes"), 1100);
}

TEST(memory_below_0_is_0)
{
	struct node n CLEANUP(node_free);
	node_make(&n, "mem");
	node_put(&n, "sys/devices/system/node/node0/meminfo",
		 "Node 0 MemTotal: 16777216 kB\nNode 0 MemFree: 16777220 kB\n"
		 "Node 0 MemUsed: 18446744073709551612 kB\n");
	assert_int_equal(node_read(&n, true, "MemUsed"), 0);
	assert_int_equal(node_read(&n, true, "MemFree"), 16777220);
}

static void nfs_put(const struct node *n, const char *transports)
{
	char text[1024];
	snprintf(text, sizeof(text), "device srv:/vol mounted on /mnt with fstype nfs4 statvers=1.1"
		 "\n\tevents:\t1 2\n%s\tper-op statistics\n\t        NULL: 0 0 0 0 0 0 0 0 0\n\n",
		 transports);
	node_put(n, "proc/self/mountstats", text);
}

/* The values after "tcp": PORT, binds, connects, time, idle, sends, receives, and others. */
#define XPRT(port, sends) "\txprt:\ttcp " port " 1 1 0 0 " sends " 5 0 0 0 0 0 0\n"

TEST(a_mount_keeps_the_counts_of_a_connection_that_goes)
{
	struct node n CLEANUP(node_free);
	node_make(&n, "nfs");
	nfs_put(&n, XPRT("901", "100") XPRT("902", "40") XPRT("903", "3000"));
	assert_int_equal(node_read(&n, true, "xprt_sends"), 3140);
	nfs_put(&n, XPRT("901", "110") XPRT("903", "3001"));
	assert_int_equal(node_read(&n, false, "xprt_sends"), 3151);
	nfs_put(&n, XPRT("901", "110") XPRT("904", "3002"));	/* a reconnect uses another port */
	assert_int_equal(node_read(&n, false, "xprt_sends"), 3152);
	nfs_put(&n, XPRT("901", "110") XPRT("904", "3002") XPRT("905", "7"));
	assert_int_equal(node_read(&n, false, "xprt_sends"), 3159);
}

/* The second mount shares a superblock, and so its counters, with the first. */
TEST(a_change_of_the_mounts_is_enough_to_find_those_that_share_a_superblock)
{
	struct node n CLEANUP(node_free);
	node_make(&n, "nfs");
	n.s.files = (struct files){ .rootfd = n.tree.fd };	/* as on a live node */
	nfs_put(&n, XPRT("901", "100"));
	node_put(&n, "proc/mounts", "srv:/vol /mnt nfs4 rw 0 0\nsrv:/vol /b nfs4 rw 0 0\n");
	node_put(&n, "proc/self/mountinfo", "36 1 0:45 / /mnt rw - nfs4 srv:/vol rw\n"
		 "37 1 0:45 /b /b rw - nfs4 srv:/vol rw\n");
	assert_int_equal(node_read(&n, false, "xprt_sends"), 100);
	assert_true(n.s.rows.below_known);
	assert_text(buf_str(&n.s.rows.below), STR("/b /mnt\n"));
}

TEST(a_counter_that_falls_a_little_does_not_count_again)
{
	uint64_t last = 0;
	assert_int_equal(part_growth(&last, 100), 100);
	assert_int_equal(part_growth(&last, 99), 0);
	assert_int_equal(part_growth(&last, 101), 1);
	assert_int_equal(part_growth(&last, 0), 0);
	assert_int_equal(part_growth(&last, 0), 0);
	assert_int_equal(part_growth(&last, 103), 2);
	assert_int_equal(part_growth(&last, 50), 50);
	assert_int_equal(part_growth(&last, 51), 1);
	assert_int_equal(part_growth(&last, 102), 51);
	assert_int_equal(part_growth(&last, 51), 51);	/* a fall to half counts as a restart */
}

TEST(drbd_and_zvol_count_as_a_loop_device_does)
{
	static const char *const guests[] = { "7:0", "147:0", "230:16" };
	for (size_t i = 0; i < ARRAY_SIZE(guests); i++) {
		struct node n CLEANUP(node_free);
		char text[128];
		job_make(&n);
		disk_has(&n, "8:0", "size");
		disk_has(&n, guests[i], "size");
		snprintf(text, sizeof(text), "%s rbytes=4096 wbytes=0 rios=8 wios=0\n"
			 "8:0 rbytes=4100 wbytes=0 rios=9 wios=0\n", guests[i]);
		io_stat(&n, text);
		assert_int_equal(node_read(&n, false, "rd_bytes"), 4100);
	}
}

TEST(a_rescan_sees_that_a_device_stands_on_a_disk_now)
{
	struct node n CLEANUP(node_free);
	job_make(&n);
	disk_has(&n, "254:0", "size");
	io_stat(&n, "254:0 rbytes=0 wbytes=100 rios=0 wios=1\n");
	assert_int_equal(node_read(&n, false, "wr_bytes"), 100);
	disk_has(&n, "254:0", "holders/dm-0");
	disk_has(&n, "253:0", "slaves/vda");
	io_stat(&n, "254:0 rbytes=0 wbytes=150 rios=0 wios=2\n"
		    "253:0 rbytes=0 wbytes=1000 rios=0 wios=2\n");
	assert_int_equal(node_read(&n, true, "wr_bytes"), 1100);
}

int main(void)
{
	RUN(cmocka_unit_test(a_rescan_sees_that_a_device_stands_on_a_disk_now),
	    cmocka_unit_test(drbd_and_zvol_count_as_a_loop_device_does),
	    cmocka_unit_test(a_byte_through_dm_counts_once_and_stays_when_dm_goes),
	    cmocka_unit_test(a_mirror_counts_at_its_disks),
	    cmocka_unit_test(writes_that_no_disk_counts_for_the_job_count_at_the_top),
	    cmocka_unit_test(a_loop_device_counts_unless_disks_counted_more),
	    cmocka_unit_test(a_disk_that_comes_back_counts_from_0),
	    cmocka_unit_test(no_io_in_cgroup_v1_is_0_only_if_the_kernel_counts),
	    cmocka_unit_test(a_mount_keeps_the_counts_of_a_server_that_goes),
	    cmocka_unit_test(a_mount_has_no_row_while_any_of_its_servers_is_unreadable),
	    cmocka_unit_test(a_rescan_keeps_a_server_that_is_unreadable_at_that_moment),
	    cmocka_unit_test(a_sum_below_0_costs_that_value_only),
	    cmocka_unit_test(memory_below_0_is_0),
	    cmocka_unit_test(a_mount_keeps_the_counts_of_a_connection_that_goes),
	    cmocka_unit_test(
		    a_change_of_the_mounts_is_enough_to_find_those_that_share_a_superblock),
	    cmocka_unit_test(a_counter_that_falls_a_little_does_not_count_again));
}
