/* SPDX-License-Identifier: BSD-3-Clause */
/* test_status_reply.c - the agent's reply to "status" */
#include "tests/unit/recorder_node.h"

#include "agent/status_reply.h"
#include "base/clock.h"

/* Return the number after a word at the start of a line of the reply, or 0. */
static uint64_t number_after(struct str reply, const char *word)
{
	struct str line;
	uint64_t value = 0;
	while (str_take_line(&reply, &line))
		if (str_take_prefix(&line, str_of(word)) && str_take_prefix(&line, STR(" ")) &&
		    str_take_u64(&line, &value))
			return value;
	return 0;
}

TEST(time_for_which_the_writer_hangs_is_in_seconds)
{
	struct node n CLEANUP(node_free);
	struct live_tier live = { .last_us = 0 };
	struct buf reply CLEANUP(buf_free) = { 0 };
	node_open(&n, true);
	status_put(&reply, n.r, &live, 0);
	assert_null(memmem(reply.p, reply.n, "\nhangs ", 7));

	/* the writer has hung for 50 s, and on the slowest machine for less than an hour */
	n.r->to.full = true;
	n.r->to.writer.busy_ns = monotonic_ns() - INT64_C(50000000000);
	reply.n = 0;
	status_put(&reply, n.r, &live, 0);
	assert_in_range(number_after(buf_str(&reply), "hangs"), 50, 3600);
	n.r->to.full = false;
	n.r->to.writer.busy_ns = 0;
}

int main(void)
{
	RUN(cmocka_unit_test(time_for_which_the_writer_hangs_is_in_seconds));
}
