/* SPDX-License-Identifier: BSD-3-Clause */
/* test_json.c - whatever bytes come in, JSON goes out */
#include "tests/unit/test.h"
#include "formats/json.h"

TEST(strings_are_escaped_where_they_must_be)
{
	static const struct {
		struct str in;
		const char *out;
	} cases[] = {
		{ STR(""),                     "\"\""                     },
		{ STR("cpu 0"),                "\"cpu 0\""                },
		{ STR("a\"b\\c/"),             "\"a\\\"b\\\\c/\""         },
		{ STR("\n\t\r\x1b\x7f\0."),    "\"\\u000a\\u0009\\u000d\\u001b\\u007f\\u0000.\"" },
		{ STR("\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80"),
		  "\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\""              },
		{ STR("\xff"),                 "\"\\ufffd\""              },
		{ STR("\xc3"),                 "\"\\ufffd\""              },
		{ STR("\xc0\x80"),             "\"\\ufffd\\ufffd\""       },
		{ STR("\xe0\x9f\x80"),         "\"\\ufffd\\ufffd\\ufffd\"" },
		{ STR("\xed\xa0\x80"),         "\"\\ufffd\\ufffd\\ufffd\"" },
		{ STR("\xe2\x82x"),            "\"\\ufffd\\ufffdx\""      },
		{ STR("\xf4\x90\x80\x80"),     "\"\\ufffd\\ufffd\\ufffd\\ufffd\"" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct buf b = { 0 };
		json_put_string(&b, cases[i].in);
		buf_add_char(&b, '\0');
		assert_string_equal(b.p, cases[i].out);
		buf_free(&b);
	}
}

TEST(doubles_are_as_short_as_they_can_be)
{
	static const struct {
		double in;
		const char *out;
	} cases[] = {
		{ 0.1, "0.1" }, { 1.0 / 3, "0.3333333333333333" },
		{ -3,  "-3"  }, { 1e300,   "1e+300"             },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct buf b = { 0 };
		json_put_double(&b, cases[i].in);
		buf_add_char(&b, '\0');
		assert_string_equal(b.p, cases[i].out);
		buf_free(&b);
	}
}

int main(void)
{
	RUN(cmocka_unit_test(strings_are_escaped_where_they_must_be),
	    cmocka_unit_test(doubles_are_as_short_as_they_can_be));
}
