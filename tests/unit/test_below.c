/* SPDX-License-Identifier: BSD-3-Clause */
/* test_below.c - count each byte of stacked devices once, at the lowest device */
#include "tests/unit/test.h"
#include <stdio.h>
#include "base/base.h"
#include "schema/below.h"

/*
 * One letter for each value of enum below_how: counts, never, said, inferred. Expected results have
 * one letter for each device.
 */
static const char letters[] = "cnsi";

static void expect(struct str header, struct str type, struct str devices, const char *expected)
{
	struct below b CLEANUP(below_free) = { 0 };
	struct below_device d[16] = { 0 };
	char got[17] = "";
	struct str line;
	size_t n = 0;

	while (str_take_until(&header, ';', &line))
		below_add(&b, line);
	while (n < ARRAY_SIZE(d) && str_take_word(&devices, &d[n].name))
		n++;
	below_decide(&b, type, d, n);
	for (size_t i = 0; i < n; i++)
		got[i] = letters[d[i].how];
	assert_string_equal(got, expected);
}

TEST(header_overrides_device_names)
{
	static const struct {
		const char *header, *type, *devices, *expected;
	} cases[] = {
		{ "net bond0 eth0 eth1;", "net", "bond0 eth0 eth1 lo", "sccn" },
		/* a VLAN on a bond of two slaves */
		{ "net v7 bond0;net bond0 eth0 eth1;", "net", "bond0 eth0 eth1 v7", "sccs" },
		/*
		 * the bond's slaves were not recorded: the bond counts, and the VLAN on it does not
		 */
		{ "net v7 bond0;net bond0 eth0 eth1;", "net", "bond0 v7", "cs" },
		{ "net v7 bond0;net bond0 eth0 eth1;", "net", "v7", "c" },
		/* one of the two slaves was not recorded, so the bond counts */
		{ "net bond0 eth0 eth1;", "net", "bond0 eth1", "sc" },
		/* a bridge over a card and a guest's veth, and the veth of a second guest */
		{ "net br0 eth0 veth1;net veth1 eth0;net veth2 eth0;", "net",
		  "br0 eth0 veth1 veth2", "scss" },
		{ "net;", "net", "bond0 eth0 br0 eth0.7", "cccc" },
		{ "block dm-1 dm-0;block dm-0 sda3;block sda3 sda;", "block", "dm-0 dm-1 sda",
		  "ssc" },
		{ "block dm-0 sda sdb sdc sdd;", "block", "dm-0 sda sdb sdc sdd", "scccc" },
		{ "block dm-0 zram0;", "block", "dm-0 sda zram0", "scn" },
		{ "nfs /b /a;nfs /c /a;", "nfs", "/a /b /c /d", "cssc" },
		/* lines of other types are ignored */
		{ "net bond0 eth0;", "block", "dm-0 sda", "ic" },
		{ "nets x y;ne z;", "net", "bond0 eth0", "ic" },
	};
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		expect(str_of(cases[i].header), str_of(cases[i].type), str_of(cases[i].devices),
		       cases[i].expected);
}

TEST(names_decide_without_a_header)
{
	static const struct {
		const char *type, *devices, *expected;
	} cases[] = {
		/* devices of a Stampede node of 2013, without lines about lower devices */
		{ "net", "br0 eth0 eth0.1015 ib0 lo mic0", "icicnc" },
		/* devices of a Xen host */
		{ "net", "eth0 peth0 peth0.2 virbr0 macvtap0", "iciii" },
		{ "net", "bond0 eth0 eth1 bond0.7 team0 docker0 veth1a", "icciiii" },
		{ "net", "lo", "n" },
		/* devices of containers, and bonds whose slaves were not recorded */
		{ "net", "lo veth0", "nc" },
		{ "net", "bond0 br0 veth0", "cii" },
		{ "net", "eth0.7", "c" },
		{ "net", "ib0 ib0.8001", "cc" },
		{ "block", "sda dm-0 md0 md_d1 zd0 drbd0 bcache0 loop0 zram0 ram0 nbd0",
		  "ciiiiiiinnc" },
		{ "block", "dm-0 dm-1", "cc" },
		{ "block", "nvme1c0n2 nvme1c1n2 nvme1n2 nvme0n1", "ccic" },
		{ "block", "pmem0 pmem0.1", "cc" },
		{ "nfs", "/home/v1 /home/v1.2 /lo", "ccc" },
	};
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		expect(STR(""), str_of(cases[i].type), str_of(cases[i].devices),
		       cases[i].expected);
}

TEST(some_device_counts_despite_a_broken_header)
{
	expect(STR("net a a;"), STR("net"), STR("a"), "c");
	expect(STR("net a b;net b a;"), STR("net"), STR("a b"), "sc");
	expect(STR("net a b;net b c;net c a;"), STR("net"), STR("a b c"), "ssc");
	expect(STR("net a b;net b c;net c b;"), STR("net"), STR("a"), "c");
	expect(STR(";  ;net;net ;"), STR("net"), STR("a b"), "cc");
}

TEST(very_deep_stack_of_devices_does_not_crash)
{
	struct below b CLEANUP(below_free) = { 0 };
	struct below_device d[2] = { { .name = STR("d0") }, { .name = STR("d99999") } };
	for (int i = 0; i < 99999; i++) {
		char line[64];
		snprintf(line, sizeof(line), "net d%d d%d", i, i + 1);
		assert_true(below_add(&b, str_of(line)));
	}
	below_decide(&b, STR("net"), d, 2);
	assert_int_equal(d[1].how, BELOW_COUNTS);
	assert_true(below_is_declared(&b, STR("net")));
	below_clear(&b);
	assert_false(below_is_declared(&b, STR("net")));
}

TEST(sum_has_the_growth_while_a_device_was_part_of_it)
{
	struct below_part p = { 0 };
	assert_int_equal(below_part_of(&p, 100), 100);
	below_part_set(&p, true, 100);
	assert_int_equal(below_part_of(&p, 150), 100);
	below_part_set(&p, true, 150);
	assert_int_equal(below_part_of(&p, 160), 100);
	below_part_set(&p, false, 160);
	assert_int_equal(below_part_of(&p, 200), 140);
}

int main(void)
{
	RUN(cmocka_unit_test(header_overrides_device_names),
	    cmocka_unit_test(names_decide_without_a_header),
	    cmocka_unit_test(some_device_counts_despite_a_broken_header),
	    cmocka_unit_test(very_deep_stack_of_devices_does_not_crash),
	    cmocka_unit_test(sum_has_the_growth_while_a_device_was_part_of_it));
}
