/* SPDX-License-Identifier: BSD-3-Clause */
/* test_rapl.c - energy goes on growing where the kernel's counter starts again at 0 */
#include "tests/unit/test.h"

#include "collectors/collector.h"
#include "tests/unit/tree.h"

#define ZONE "sys/class/powercap/intel-rapl:0/"

static const struct collector *start(struct sample *s, struct files *root, const struct tree *t)
{
	const struct collector *c = collector_find("intel_rapl");
	assert_non_null(c);
	tree_put(t, ZONE "name", STR("package-0\n"));
	tree_put(t, ZONE "max_energy_range_uj", STR("1000\n"));
	assert_int_equal(files_open_root(root, t->path), 0);
	sample_init(s, root, c->metrics, c->n_metrics);
	s->data = c->data;
	return c;
}

/* The file is replaced, which a kernel does not do: rescan opens it anew. */
static uint64_t energy(const struct collector *c, struct sample *s, const struct tree *t,
		       const char *uj)
{
	tree_put(t, ZONE "energy_uj", str_of(uj));
	s->rescan = true;
	sample_clear(s);
	files_forget(&s->files, ZONE "energy_uj");
	assert_int_equal(c->collect(s), 0);
	assert_int_equal(s->n_rows, 1);
	return sample_values(s, 0)[0];
}

TEST(energy_goes_on_where_the_counter_starts_again)
{
	struct tree t CLEANUP(tree_free);
	struct files root CLEANUP(files_free);
	struct sample s CLEANUP(sample_free);
	tree_make(&t);
	const struct collector *c = start(&s, &root, &t);

	assert_int_equal(energy(c, &s, &t, "900\n"), 900);
	assert_int_equal(energy(c, &s, &t, "950\n"), 950);
	assert_int_equal(energy(c, &s, &t, "50\n"), 1050);
	assert_int_equal(energy(c, &s, &t, "1000\n"), 2000);
	assert_int_equal(energy(c, &s, &t, "0\n"), 2000);
	assert_int_equal(energy(c, &s, &t, "2000\n"), 4000);	/* behind its own range */
	assert_int_equal(energy(c, &s, &t, "1\n"), 4001);
}

TEST(energy_that_could_not_be_read_is_missing_and_not_lost)
{
	struct tree t CLEANUP(tree_free);
	struct files root CLEANUP(files_free);
	struct sample s CLEANUP(sample_free);
	tree_make(&t);
	const struct collector *c = start(&s, &root, &t);

	assert_int_equal(energy(c, &s, &t, "900\n"), 900);
	tree_put(&t, ZONE "energy_uj", STR(""));
	sample_clear(&s);
	files_forget(&s.files, ZONE "energy_uj");
	assert_true(c->collect(&s) < 0);
	assert_int_equal(s.n_rows, 0);
	assert_int_equal(energy(c, &s, &t, "50\n"), 1050);
}

int main(void)
{
	RUN(cmocka_unit_test(energy_goes_on_where_the_counter_starts_again),
	    cmocka_unit_test(energy_that_could_not_be_read_is_missing_and_not_lost));
}
