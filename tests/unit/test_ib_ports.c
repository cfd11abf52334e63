/* SPDX-License-Identifier: BSD-3-Clause */
/* test_ib_ports.c - read the counters of InfiniBand ports whose files fail for a while */
#include "tests/unit/test.h"

#include "tests/unit/collected.h"

#define COUNTERS "sys/class/infiniband/mlx5_0/ports/1/counters/"

/* A driver may refuse a counter for a moment, with EINVAL or EIO; a missing file stays missing. */
TEST(a_counter_that_fails_at_a_rescan_is_read_again_before_the_next)
{
	struct node n CLEANUP(node_free);
	node_make(&n, "ib");
	node_put(&n, COUNTERS "port_xmit_data", "7\n");
	node_put(&n, COUNTERS "port_rcv_data/a_folder", "");	/* read(2) fails with EISDIR */
	assert_true(node_read(&n, true, "port_rcv_data") == UINT64_MAX);
	node_remove(&n, COUNTERS "port_rcv_data");
	node_put(&n, COUNTERS "port_rcv_data", "9\n");
	assert_true(node_read(&n, false, "port_rcv_data") != UINT64_MAX);
}

int main(void)
{
	RUN(cmocka_unit_test(a_counter_that_fails_at_a_rescan_is_read_again_before_the_next));
}
