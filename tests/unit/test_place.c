/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * test_place.c - name the folders of a site's users: plain names, no path, one folder for each user
 */
#include "tests/unit/tree.h"

#include "report/site/place.h"

static void assert_name(const char *user, const char *want)
{
	struct buf b CLEANUP(buf_free) = { 0 };
	place_put_name(&b, user);
	assert_text(buf_str(&b), str_of(want));
}

TEST(name_is_plain_and_no_path)
{
	assert_name("ann", "ann");
	assert_name("a.b-c_D9", "a.b-c_D9");
	assert_name("", "=");
	assert_name(".", "=2E");
	assert_name("..", "=2E.");
	assert_name("../ann", "=2E.=2Fann");
	assert_name("a=2E", "a=3D2E");
	assert_name("a b\n", "a=20b=0A");
}

/* Long names with the same beginning must give different folders. */
TEST(long_names_stay_apart)
{
	struct buf one CLEANUP(buf_free) = { 0 }, other CLEANUP(buf_free) = { 0 };
	char name[1001];
	memset(name, 'x', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	place_put_name(&one, name);
	name[sizeof(name) - 2] = 'y';
	place_put_name(&other, name);
	assert_false(str_eq(buf_str(&one), buf_str(&other)));
	assert_in_range(one.n, 1, 140);
}

int main(void)
{
	RUN(cmocka_unit_test(name_is_plain_and_no_path),
	    cmocka_unit_test(long_names_stay_apart));
}
