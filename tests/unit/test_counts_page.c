/* SPDX-License-Identifier: BSD-3-Clause */
/* test_counts_page.c - the page of the receiver's counters; a fake replaces the HTTP server */
#include "tests/unit/test.h"
#include "sinks/page_server.h"
#include "xrootd/counts_page.h"

static struct page_maker maker;

int page_server_open(const struct page_keys *k, const struct page_maker *m,
		     struct page_server **ret, struct buf *why)
{
	(void)k;
	(void)why;
	maker = *m;
	*ret = NULL;
	return 0;
}

void page_server_close(struct page_server *s)
{
	(void)s;
}

int page_server_fd(const struct page_server *s)
{
	(void)s;
	return -1;
}

void page_server_run(struct page_server *s)
{
	(void)s;
}

enum page_reach page_reach_of(const char *listen)
{
	(void)listen;
	return PAGE_THIS_HOST;
}

/* A counter that falls looks like a restart to Prometheus. */
TEST(lost_lines_are_counted_since_the_start_of_the_receiver)
{
	static struct xrootd_program p;
	const struct xrd_listener to = { .arg = NULL };
	struct buf page CLEANUP(buf_free) = { 0 };

	p.join = xrd_join_new(&to, 1 << 20);
	p.to[0] = (struct xrootd_output){ .on = true, .path = "/srv/lines", .lost_ever = 5 };
	struct counts_page *c = counts_page_open(&p, "127.0.0.1:9931", &page);
	assert_non_null(c);
	maker.make(maker.arg, &page);
	buf_add_char(&page, '\0');
	assert_non_null(strstr(page.p, "output_lost_lines_total{output=\"/srv/lines\"} 5\n"));
	counts_page_close(c);
	xrd_join_free(p.join);
}

int main(void)
{
	RUN(cmocka_unit_test(lost_lines_are_counted_since_the_start_of_the_receiver));
}
