/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * test_xrd_record.c - write the XRootD receiver's record groups, and keep them while there is no
 * space
 */
#include "tests/unit/tree.h"

#include <stdio.h>
#include <stdlib.h>
#include "xrootd/join/xrd_join.h"
#include "xrootd/xrd_record.h"

/* The XRootD receiver's groups, one a minute, wait for free space as the agent's do. */
TEST(groups_wait_until_there_is_free_space)
{
	struct tree tree CLEANUP(tree_free);
	struct buf text CLEANUP(buf_free) = { 0 };
	const struct xrd_sums_listener nobody = { .arg = NULL };
	const struct xrd_listener nothing = { .arg = NULL };
	struct xrd_join *join = xrd_join_new(&nothing, 1 << 20);
	struct xrd_sums *sums = xrd_sums_new(&nobody, xrd_join_servers(join));
	struct xrd_recorder *r = xrealloc(NULL, sizeof(*r));
	uint64_t bytes = 0;
	char current[300];

	tree_make(&tree);
	*r = (struct xrd_recorder){
		.dir = tree.path, .live = true, .bytes = &bytes,
		.retain = { .free_floor = INT64_MAX },
	};
	assert_int_equal(xrd_recorder_open(r), 0);
	assert_int_equal(xrd_recorder_minute(r, 60000000, sums), 0);
	assert_int_equal(xrd_recorder_minute(r, 120000000, sums), 0);
	assert_int_equal(r->out.unwritten.n, 2);
	assert_false(r->written);

	r->out.store.place.free_floor = 0;
	r->out.store.archive.floor_checked_ns = 0;
	assert_int_equal(xrd_recorder_minute(r, 180000000, sums), 0);
	assert_true(r->written);
	assert_int_equal(r->last_us, 180000000);
	snprintf(current, sizeof(current), "%s/60", r->host.name);
	tree_get(&tree, current, &text);
	buf_add_char(&text, '\0');
	assert_non_null(strstr(text.p, "\n60 -\n%counters_restart"));
	assert_non_null(strstr(text.p, "\n120 -\nnodometer - "));
	xrd_recorder_close(r);
	xrd_join_free(join);
	xrd_sums_free(sums);
	free(r);
}

int main(void)
{
	RUN(cmocka_unit_test(groups_wait_until_there_is_free_space));
}
