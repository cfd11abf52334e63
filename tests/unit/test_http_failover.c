/* SPDX-License-Identifier: BSD-3-Clause */
/* test_http_failover.c - choose among several receivers when one does not answer */
#include "tests/unit/http_server.h"

#include "tests/unit/sink_user.h"

#ifdef HAVE_CURL
#define REFUSED SAYS("400 x", "", 2, "no")

/* Two receivers, which are two paths of one server. */
struct pair {
	struct server s;
	struct user u;
	uint64_t receiver, failovers;
	char urls[160];
};

static void pair_begin(struct pair *p, const char *const *answers, int records)
{
	serve(&p->s, answers);
	snprintf(p->urls, sizeof(p->urls), "%s/a  %s/b", p->s.url, p->s.url);
	const char *const keys[] = { "url", p->urls, "compress", "no", "format", "jsonl", NULL };
	user_make(&p->u, "http", keys);
	user_open(&p->u, NULL);
	p->receiver = p->failovers = 0;
	p->u.node.receiver = &p->receiver;
	p->u.node.failovers = &p->failovers;
	while (records-- > 0)
		assert_true(user_put(&p->u) >= 0);
}

static void pair_end(struct pair *p)
{
	user_end(&p->u);
	end_peer(p->s.pid);
}

/* Check the order of receivers: the path of each request, for example "ab" for /a and /b. */
static void assert_paths(const char *want)
{
	const char *at = heard->p;
	size_t n = 0;
	while ((at = memmem(at, heard->n - (size_t)(at - heard->p), "POST /", 6))) {
		at += 6;
		assert_int_equal(*at, want[n]);
		n++;
	}
	assert_int_equal(n, strlen(want));
}

TEST(next_receiver_gets_the_records_of_a_silent_one)
{
	static const char *const answers[] = { "", GOOD, GOOD, NULL };
	struct pair p;
	pair_begin(&p, answers, 2);
	assert_int_equal(user_flush(&p.u), 0);
	assert_int_equal(p.receiver, 2);
	assert_int_equal(p.failovers, 1);
	assert_true(user_put(&p.u) >= 0);
	assert_int_equal(user_flush(&p.u), 0);
	assert_paths("abb");
	assert_int_equal(p.failovers, 1);
	pair_end(&p);
}

TEST(first_receiver_follows_the_last_one)
{
	static const char *const answers[] = {
		SAYS("503 x", "", 0, ""), GOOD, SAYS("502 x", "", 0, ""), GOOD, NULL
	};
	struct pair p;
	pair_begin(&p, answers, 1);
	assert_int_equal(user_flush(&p.u), 0);
	assert_true(user_put(&p.u) >= 0);
	assert_int_equal(user_flush(&p.u), 0);
	assert_paths("abba");
	assert_int_equal(p.receiver, 1);
	assert_int_equal(p.failovers, 2);
	pair_end(&p);
}

TEST(records_wait_if_no_receiver_answers)
{
	static const char *const answers[] = {
		SAYS("503 x", "", 5, "first"), SAYS("504 x", "", 6, "second"), GOOD, NULL
	};
	struct pair p;
	pair_begin(&p, answers, 1);
	assert_int_equal(user_flush(&p.u), -EREMOTEIO);
	assert_why(&p.u, "/a: POST answers 503 first; ");
	assert_why(&p.u, "/b: POST answers 504 second");
	assert_int_equal(user_flush(&p.u), 0);
	assert_paths("aba");
	assert_int_equal(p.failovers, 0);
	pair_end(&p);
}

TEST(refusal_is_an_answer)
{
	static const char *const answers[] = {
		REFUSED, SAYS("401 x", "", 0, ""), SAYS("500 x", "", 0, ""), GOOD, NULL
	};
	struct pair p;
	pair_begin(&p, answers, 1);
	assert_int_equal(user_flush(&p.u), -EBADMSG);
	assert_int_equal(user_flush(&p.u), -EREMOTEIO);
	assert_int_equal(user_flush(&p.u), -EREMOTEIO);
	assert_int_equal(user_flush(&p.u), 0);
	assert_paths("aaaa");
	pair_end(&p);
}

/*
 * The first receiver accepts one of two records and then fails, so the next receiver gets the other
 * record.
 */
TEST(next_receiver_gets_only_records_not_accepted_before)
{
	static const char *const answers[] = {
		REFUSED, GOOD, SAYS("503 x", "", 0, ""), GOOD, NULL
	};
	struct pair p;
	pair_begin(&p, answers, 2);
	assert_int_equal(user_flush(&p.u), 0);
	assert_paths("aaab");
	struct str first = body_heard();
	const char *last = memmem(heard->p, heard->n, "POST /b", 7);
	assert_non_null(last);
	const char *body = strstr(last, "\r\n\r\n") + 4;
	const char *next = memmem(first.p, first.n, "POST /a", 7);
	size_t n = (size_t)(heard->p + heard->n - body), both = (size_t)(next - first.p);
	assert_true(n > 0);
	assert_int_equal(2 * n, both);
	assert_memory_equal(first.p, body, n);
	pair_end(&p);
}

TEST(each_url_is_checked)
{
	static const struct { const char *urls, *why; } all[] = {
		{ "http://a/ htp://b/", "url = htp://b/: " },
		{ "http://a/ http://b/ http://c/ http://d/ http://e/", "more than 4 URLs" },
		{ "  ", "url is not set" },
	};
	for (size_t i = 0; i < ARRAY_SIZE(all); i++) {
		const char *const keys[] = { "url", all[i].urls, NULL };
		struct user u;
		user_make(&u, "http", keys);
		assert_int_equal(u.sink->check(u.state, &u.why), -EINVAL);
		assert_why(&u, all[i].why);
		user_drop(&u);
	}
}

int main(void)
{
	http_server_begin();
	RUN(cmocka_unit_test(next_receiver_gets_the_records_of_a_silent_one),
	    cmocka_unit_test(first_receiver_follows_the_last_one),
	    cmocka_unit_test(records_wait_if_no_receiver_answers),
	    cmocka_unit_test(refusal_is_an_answer),
	    cmocka_unit_test(next_receiver_gets_only_records_not_accepted_before),
	    cmocka_unit_test(each_url_is_checked));
}
#else
int main(void)
{
	puts("skipped: built without libcurl");
	return 77;
}
#endif
