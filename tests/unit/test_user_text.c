/* SPDX-License-Identifier: BSD-3-Clause */
/* test_user_text.c - keep the text about a user until a record about that user changes it */
#include "tests/unit/test.h"
#include <stdio.h>
#include <stdlib.h>
#include "xrootd/join/facts.h"
#include "xrootd/lines/user_text.h"

static bool has(struct str json, const char *text)
{
	return memmem(json.p, json.n, text, strlen(text));
}

TEST(the_text_of_a_user_is_kept_until_a_record_changes_it)
{
	struct user_texts *all = calloc(1, sizeof(*all));
	char login[] = "xroot/alice.77:42@[::1]\n&o=cms&n=/CN=Alice", flow[] = "&Ec=5&Ac=9";
	struct xrd_client c = { .login = login, .texts = 7 };
	const struct xrd_file f = { .path = NULL };
	assert_non_null(all);
	struct user_text *u = user_text_of(all, &c, &f);
	const char *kept = user_text_json(u, STR("")).p;
	assert_int_equal(u->vo.n, 3);
	assert_true(has(buf_str(&u->json), "\"user_dn\":\"/CN=Alice\""));
	assert_true(has(buf_str(&u->json), "\"activity\":null"));
	assert_ptr_equal(user_text_of(all, &c, &f), u);
	assert_ptr_equal(user_text_json(u, STR("")).p, kept);

	struct xrd_facts *facts = calloc(1, sizeof(*facts) + sizeof(facts->of[0]));
	assert_non_null(facts);
	facts->n = 1;
	facts->of[0].text[FACT_FLOW] = flow;
	c.facts = facts;
	c.texts = 8;
	u = user_text_of(all, &c, &f);
	assert_true(has(user_text_json(u, STR("")), "\"activity\":\"9\""));
	assert_true(has(user_text_json(u, STR("a.example.org")), "\"host\":\"a.example.org\""));
	assert_true(has(user_text_json(u, STR("")), "\"host\":\"[::1]\""));
	user_texts_free(all);
	free(facts);
	free(all);
}

TEST(users_whose_numbers_share_a_place_are_kept_apart)
{
	struct user_texts *all = calloc(1, sizeof(*all));
	char alice[] = "xroot/alice.77:42@a\n", bob[] = "xroot/bob.78:42@b\n";
	char by_path[] = "xroot/carol.79:42@c";
	const struct xrd_client a = { .login = alice, .texts = 1 };
	const struct xrd_client b = { .login = bob, .texts = 1 + USER_TEXTS };
	const struct xrd_client large = { .login = alice, .texts = 2,
					  .entry.bytes = USER_BYTES + 1 };
	const struct xrd_file f = { .userid = by_path };
	assert_non_null(all);
	assert_true(has(user_text_json(user_text_of(all, &a, &f), STR("")), "\"alice\""));
	assert_true(has(user_text_json(user_text_of(all, &b, &f), STR("")), "\"bob\""));
	assert_true(has(user_text_json(user_text_of(all, &a, &f), STR("")), "\"alice\""));
	assert_true(has(user_text_json(user_text_of(all, NULL, &f), STR("")), "\"carol\""));
	assert_true(has(user_text_json(user_text_of(all, &large, &f), STR("")), "\"alice\""));
	assert_true(has(user_text_json(user_text_of(all, NULL, &f), STR("")), "\"carol\""));
	assert_int_equal(all->one[2].json.cap, 0);
	user_texts_free(all);
	free(all);
}

TEST(the_domain_is_the_end_of_a_name_and_not_of_an_address)
{
	static const struct {
		const char *host, *domain;
	} cases[] = {
		{ "wn1.grid.example.org", "\"example.org\"" }, { "example.org", "\"example.org\"" },
		{ "wn1", "null" }, { "192.0.2.1", "null" }, { "[::1]", "null" }, { "", "null" },
	};
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct buf b CLEANUP(buf_free) = { 0 };
		const struct xrd_who w = { .user.host = str_of(cases[i].host) };
		char want[64];
		snprintf(want, sizeof(want), "\"user_domain\":%s,", cases[i].domain);
		user_text_put(&b, &w, STR(""));
		if (!has(buf_str(&b), want))
			fail_msg("%s: not %s", cases[i].host, want);
	}
}

int main(void)
{
	RUN(cmocka_unit_test(the_domain_is_the_end_of_a_name_and_not_of_an_address),
	    cmocka_unit_test(the_text_of_a_user_is_kept_until_a_record_changes_it),
	    cmocka_unit_test(users_whose_numbers_share_a_place_are_kept_apart));
}
