/* SPDX-License-Identifier: BSD-3-Clause */
/* test_advice.c - read a site's settings for findings and for the cost of energy */
#include "tests/unit/test.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "report/advice.h"

struct site {
	struct advice a;
	char said[512];
	struct listener listener;
};

static void site_hear(void *arg, enum log_level level, const char *line)
{
	struct site *s = arg;
	(void)level;
	strncat(s->said, line, sizeof(s->said) - strlen(s->said) - 1);
}

static void site_make(struct site *s)
{
	*s = (struct site){ .listener = { site_hear, s } };
	advice_begin(&s->a);
}

static void site_free(struct site *s)
{
	advice_end(&s->a);
}

static int take(struct site *s, const char *text)
{
	s->said[0] = '\0';
	return advice_take("advice.conf", str_of(text), &s->a, &s->listener);
}

static const struct finding_site *rule(const struct site *s, const char *name)
{
	size_t i = finding_find(str_of(name));
	assert_true(i < n_finding_rules);
	return &s->a.site[i];
}

TEST(a_line_sets_the_threshold_of_a_rule_or_turns_it_off)
{
	struct site s CLEANUP(site_free);
	site_make(&s);
	assert_int_equal(take(&s, "# of this site\n\nidle-nodes = 90\n idle-gpus=off \n"
			      "idle-nodes.link = https://docs.example.org/?a=b\n"), 0);
	assert_string_equal(s.said, "");
	assert_true(rule(&s, "idle-nodes")->set && !rule(&s, "idle-nodes")->off);
	assert_true(rule(&s, "idle-nodes")->threshold == 90);
	assert_false(rule(&s, "idle-nodes")->timed);
	assert_string_equal(rule(&s, "idle-nodes")->link, "https://docs.example.org/?a=b");
	assert_true(rule(&s, "idle-gpus")->off && !rule(&s, "idle-gpus")->set);
	assert_int_equal(take(&s, "idle-gpus = 2\n"), 0); /* a number switches the rule on again */
	assert_true(rule(&s, "idle-gpus")->set && !rule(&s, "idle-gpus")->off);
}

/* Some rules apply to a job of any length, and so have no minimum time. */
TEST(seconds_of_all_rules_change_only_those_that_have_a_time)
{
	struct site s CLEANUP(site_free);
	site_make(&s);
	assert_int_equal(take(&s, "seconds = 60\n"), 0);
	assert_true(rule(&s, "idle-nodes")->timed && rule(&s, "idle-nodes")->seconds == 60);
	assert_false(rule(&s, "killed-for-memory")->timed);
	assert_int_equal(take(&s, "killed-for-memory.seconds = 0\n"), 0);
	assert_true(rule(&s, "killed-for-memory")->timed);
	assert_true(rule(&s, "killed-for-memory")->seconds == 0);
	assert_true(rule(&s, "idle-nodes")->seconds == 60);
}

TEST(a_wrong_line_is_said_with_its_number_and_the_others_hold)
{
	static const struct {
		const char *line, *said;
	} cases[] = {
		{ "idle-nodes", "expected RULE = NUMBER" },
		{ "idle-nodes = -1", "expected a number that is at least 0, or off" },
		{ "idle-nodes = few", "expected a number that is at least 0, or off" },
		{ "idle-nodse = 1", "unknown rule \"idle-nodse\"; did you mean \"idle-nodes\"?" },
		{ "qqqqqqqqqqqqqq = 1", "nodometer-findings(7) lists the rules" },
		{ "idle-nodes.second = 1", "expected RULE.link or RULE.seconds" },
		{ "idle-nodes.seconds = -1", "expected a number of seconds that is at least 0" },
		{ "seconds = x", "expected a number of seconds that is at least 0" },
	};
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct site s CLEANUP(site_free);
		char text[128];
		site_make(&s);
		snprintf(text, sizeof(text), "serial = 5\n%s\nasleep = 7\n", cases[i].line);
		assert_int_equal(take(&s, text), -EINVAL);
		if (!strstr(s.said, "advice.conf:2: ") || !strstr(s.said, cases[i].said))
			fail_msg("%s: %s", cases[i].line, s.said);
		assert_true(rule(&s, "serial")->threshold == 5);
		assert_true(rule(&s, "asleep")->threshold == 7);
		assert_false(rule(&s, "idle-nodes")->set || rule(&s, "idle-nodes")->timed);
	}
}

TEST(a_link_has_up_to_255_bytes)
{
	for (size_t more = 0; more < 2; more++) {
		struct site s CLEANUP(site_free);
		char text[300];
		site_make(&s);
		int n = snprintf(text, sizeof(text), "serial.link = ");
		memset(text + n, 'x', 255 + more);
		text[(size_t)n + 255 + more] = '\0';
		assert_int_equal(take(&s, text), more ? -EINVAL : 0);
		if (!more)
			assert_int_equal(strlen(rule(&s, "serial")->link), 255);
	}
}

TEST(lines_after_the_section_are_of_energy)
{
	struct site s CLEANUP(site_free);
	site_make(&s);
	assert_int_equal(take(&s, "serial = 5\n[site]\nprice = 0.25\npue = 1.5\n"), 0);
	assert_true(s.a.factors.price == .25 && s.a.factors.pue == 1.5);
	assert_int_equal(take(&s, "[site]\nserial = 6\npue = 0.5\n"), -EINVAL);
	assert_non_null(strstr(s.said, "advice.conf:2: expected carbon"));
	assert_non_null(strstr(s.said, "advice.conf:3: expected carbon"));
	assert_true(rule(&s, "serial")->threshold == 5);
	assert_true(s.a.factors.pue == 1.5);
}

int main(void)
{
	RUN(cmocka_unit_test(a_line_sets_the_threshold_of_a_rule_or_turns_it_off),
	    cmocka_unit_test(seconds_of_all_rules_change_only_those_that_have_a_time),
	    cmocka_unit_test(a_wrong_line_is_said_with_its_number_and_the_others_hold),
	    cmocka_unit_test(a_link_has_up_to_255_bytes),
	    cmocka_unit_test(lines_after_the_section_are_of_energy));
}
