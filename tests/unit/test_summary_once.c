/* SPDX-License-Identifier: BSD-3-Clause */
/* test_summary_once.c - count each byte once in the summary of a job */
#include "tests/unit/test.h"
#include "tests/unit/summary_node.h"

/*
 * Set the type's lines as after $below in a header: a device, then the devices that it is built on.
 */
static void say_below(struct node *n, const char *type, const char *lines)
{
	struct type_state *t = &n->sampler.type[type_of(type)];
	t->below.n = 0;
	buf_add(&t->below, str_of(lines));
	t->below_known = true;
	t->below_turn++;
}

TEST(devices_on_top_of_others_are_not_in_the_sum)
{
	struct node n CLEANUP(node_free);
	node_open(&n);
	say_below(&n, "net", "x0 eth0 eth1\n");
	for (uint64_t i = 0; i < 2; i++) {
		put(&n, "net", "eth0", "rx_bytes", 100 * i);
		put(&n, "net", "eth1", "rx_bytes", 10 * i);
		put(&n, "net", "lo", "rx_bytes", 7000 * i);
		put(&n, "net", "x0", "rx_bytes", 110 * i);
		/* dm-0 and nvme0c0n1 are not counted because of their names */
		put(&n, "block", "dm-0", "rd_sectors", 2 * i);
		put(&n, "block", "nvme0c0n1", "rd_sectors", 2 * i);
		put(&n, "block", "nvme0n1", "rd_sectors", 2 * i);
		i == 0 ? begin(&n, "7") : end(&n, "7");
	}
	assert_line(&n, "7", HEAD("7") WHOLE ",\"disk_read\":1024,\"net_rx\":110}");
}

/* /home/b counts for its superblock only after /home/a has gone. */
TEST(a_mount_that_takes_over_counts_from_then_on)
{
	struct node n CLEANUP(node_free);
	node_open(&n);
	say_below(&n, "nfs", "/home/b /home/a\n");
	for (uint64_t i = 0; i < 4; i++) {
		if (i < 2)
			put(&n, "nfs", "/home/a", "server_read", 10 * i);
		put(&n, "nfs", "/home/b", "server_read", 10 * i);
		if (i == 2)
			say_below(&n, "nfs", "");
		i == 0 ? begin(&n, "7") : i == 3 ? end(&n, "7") : take(&n);
	}
	assert_line(&n, "7", HEAD("7") LACKS ",\"fs_read\":30,\"partial\":[\"fs_read\"]}");
}

int main(void)
{
	RUN(cmocka_unit_test(devices_on_top_of_others_are_not_in_the_sum),
	    cmocka_unit_test(a_mount_that_takes_over_counts_from_then_on));
}
