/* SPDX-License-Identifier: BSD-3-Clause */
/* test_types.c - check that the collectors' tables have all texts that the manual needs */
#include "tests/unit/test.h"

#include <ctype.h>
#include "collectors/collector.h"

static bool says_something(const char *text)
{
	return text && *text && !isspace((unsigned char)*text) && text[strlen(text) - 1] != '.';
}

TEST(every_type_has_a_description)
{
	for (size_t i = 0; i < n_types; i++) {
		const struct type *t = types[i];
		if (!says_something(t->about) || !says_something(t->device) ||
		    !says_something(t->source))
			fail_msg("%s: no summary, device or source", t->name);
	}
}

TEST(every_key_has_a_description)
{
	for (size_t i = 0; i < n_types; i++)
		for (size_t k = 0; k < types[i]->n_metrics; k++) {
			const struct metric *m = &types[i]->metrics[k];
			if (!says_something(m->help))
				fail_msg("%s %s: no meaning", types[i]->name, m->name);
			if (!m->unit || (*m->unit && !metric_unit_name(m->unit)))
				fail_msg("%s %s: schema/metric.c does not know its unit",
					 types[i]->name, m->name);
		}
}

TEST(no_type_has_a_key_twice)
{
	for (size_t i = 0; i < n_types; i++) {
		const struct type *t = types[i];
		for (size_t k = 0; k < t->n_metrics; k++)
			for (size_t other = 0; other < k; other++)
				if (strcmp(t->metrics[k].name, t->metrics[other].name) == 0)
					fail_msg("%s %s", t->name, t->metrics[k].name);
	}
}

/*
 * If keys of a type have other names in its source, the type's source text has KEY in place of the
 * name.
 */
TEST(every_key_has_a_source)
{
	for (size_t i = 0; i < n_types; i++) {
		const struct type *t = types[i];
		for (size_t k = 0; k < t->n_metrics; k++) {
			struct buf where CLEANUP(buf_free) = { 0 };
			type_put_where(t, k, &where);
			if (t->where ? !where.n : t->metrics[k].key && !strstr(t->source, "KEY"))
				fail_msg("%s %s: no source", t->name, t->metrics[k].name);
		}
	}
}

int main(void)
{
	RUN(cmocka_unit_test(every_type_has_a_description),
	    cmocka_unit_test(every_key_has_a_description),
	    cmocka_unit_test(no_type_has_a_key_twice),
	    cmocka_unit_test(every_key_has_a_source));
}
