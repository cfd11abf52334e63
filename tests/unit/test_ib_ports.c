/* SPDX-License-Identifier: BSD-3-Clause */
/* test_ib_ports.c - read the counters of InfiniBand ports whose files fail for a while */
#include "tests/unit/test.h"

#include "collectors/collector.h"
#include "tests/unit/tree.h"

#define COUNTERS "sys/class/infiniband/mlx5_0/ports/1/counters/"

/* Take a sample of the port, and return if it has a value of port_rcv_data. */
static bool has_received_data(struct source *s, const struct collector *c, bool rescan)
{
	size_t k = 0;
	s->rescan = rescan;
	source_clear(s);
	assert_int_equal(c->collect(s), 0);
	assert_int_equal(s->rows.n, 1);
	while (strcmp(s->rows.metrics[k].name, "port_rcv_data") != 0)
		k++;
	return rows_present(&s->rows, 0)[k / 64] >> k % 64 & 1;
}

/* A driver may refuse a counter for a moment, with EINVAL or EIO; a missing file stays missing. */
TEST(a_counter_that_fails_at_a_rescan_is_read_again_before_the_next)
{
	const struct collector *c = collector_find("ib");
	struct tree t CLEANUP(tree_free);
	struct files root CLEANUP(files_free);
	struct source s CLEANUP(source_free);
	char full[256];

	tree_make(&t);
	tree_put(&t, COUNTERS "port_xmit_data", STR("7\n"));
	tree_put(&t, COUNTERS "port_rcv_data/a_folder", STR(""));	/* read(2) fails: EISDIR */
	assert_int_equal(files_open_root(&root, t.path), 0);
	source_init(&s, &root, c->type->metrics, c->type->n_metrics);
	s.data = c->data;
	assert_false(has_received_data(&s, c, true));
	snprintf(full, sizeof(full), "%s/%s", t.path, COUNTERS "port_rcv_data");
	assert_int_equal(nftw(full, tree_remove_one, 16, FTW_DEPTH | FTW_PHYS), 0);
	tree_put(&t, COUNTERS "port_rcv_data", STR("9\n"));
	assert_true(has_received_data(&s, c, false));
}

int main(void)
{
	RUN(cmocka_unit_test(a_counter_that_fails_at_a_rescan_is_read_again_before_the_next));
}
