/* SPDX-License-Identifier: BSD-3-Clause */
/* test_launcher.c - where on a launcher's command line its program is */
#include "tests/unit/test.h"

#include <stdlib.h>
#include <string.h>
#include "base/base.h"
#include "base/buf.h"
#include "run/launcher.h"

#define WORDS 32

static void split(char *line, char *word[WORDS])
{
	size_t n = 0;
	for (char *c = line; *c && n + 1 < WORDS; ) {
		word[n++] = c;
		c += strcspn(c, " ");
		if (*c)
			*c++ = '\0';
	}
	word[n] = NULL;
}

/* The line with RUN before each program; "OPTION?" for one that is not known; "": no launcher's. */
static void wrap(const char *line, struct buf *to)
{
	char text[256], run[] = "RUN", *word[WORDS], *prefix[] = { run, NULL };
	const char *unknown;
	to->n = 0;
	assert_true(str_copy(text, sizeof(text), str_of(line)));
	split(text, word);
	char **argv = launcher_wrap(word, prefix, &unknown);
	for (size_t i = 0; argv && argv[i]; i++)
		buf_addf(to, "%s%s", i ? " " : "", argv[i]);
	if (unknown)
		buf_addf(to, "%s?", unknown);
	buf_add_char(to, '\0');
	free(argv);
}

TEST(the_program_comes_after_the_options_and_their_words)
{
	static const struct {
		const char *line, *wrapped;
	} cases[] = {
		{ "./a -n 2",                    "" },
		{ "srun ./a -n 2",               "srun RUN ./a -n 2" },
		{ "/opt/bin/srun -n2 -N 2 ./a",  "/opt/bin/srun -n2 -N 2 RUN ./a" },
		{ "srun -ul -n 2 -- ./a -x",     "srun -ul -n 2 -- RUN ./a -x" },
		{ "srun --nice ./a",             "srun --nice RUN ./a" },
		{ "srun --bcast --contiguous --resv-ports ./a",
		  "srun --bcast --contiguous --resv-ports RUN ./a" },
		{ "srun -F nodes -K1 -I60 -k ./a", "srun -F nodes -K1 -I60 -k RUN ./a" },
		{ "srun --nodefile nodes --cpu-bind cores ./a",
		  "srun --nodefile nodes --cpu-bind cores RUN ./a" },
		{ "ssh n1 ./a -n 2",             "ssh n1 'RUN' \"$SHELL\" -c './a -n 2'" },
		{ "ssh -4tp 22 -o A=b me@n1 -- cd x && y='z'",
		  "ssh -4tp 22 -o A=b me@n1 -- 'RUN' \"$SHELL\" -c 'cd x && y='\\''z'\\'''" },
		{ "ssh n1 -p 22 ./a",            "ssh n1 -p 22 'RUN' \"$SHELL\" -c './a'" },
		{ "ssh n1",                      "" },
		{ "ssh -f n1 ./a",               "-f?" },
		{ "srun --multi-prog file",      "--multi-prog?" },
		{ "srun --container dir ./a",    "--container?" },
		{ "mpirun -np 4 --mca a b -x V=1 --host=x ./a : -n 2 ./b",
		  "mpirun -np 4 --mca a b -x V=1 --host=x RUN ./a : -n 2 RUN ./b" },
		{ "mpirun -H a,b --xterm 0 ./a", "mpirun -H a,b --xterm 0 RUN ./a" },
		{ "mpirun --forward-signals USR1 --oversubscribe ./a",
		  "mpirun --forward-signals USR1 --oversubscribe RUN ./a" },
		{ "mpirun --merge-stderr-to-stdout ./a",
		  "mpirun --merge-stderr-to-stdout RUN ./a" },
		{ "mpirun --app file",           "--app?" },
		{ "mpiexec.hydra -ppn 2 -genv A 1 -l ./a",
		  "mpiexec.hydra -ppn 2 -genv A 1 -l RUN ./a" },
		{ "mpirun --new-option 5 ./a",   "--new-option?" },
		{ "flux run -n 4 -N 2 ./a",      "flux run -n 4 -N 2 RUN ./a" },
		{ "flux run -x -luvv -o cpu-affinity=off ./a",
		  "flux run -x -luvv -o cpu-affinity=off RUN ./a" },
		{ "flux submit ./a",             "" },
		{ "jsrun -n 2 -a1 --smpiargs off ./a", "jsrun -n 2 -a1 --smpiargs off RUN ./a" },
	};
	struct buf got CLEANUP(buf_free) = { 0 };

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		wrap(cases[i].line, &got);
		assert_string_equal(buf_str(&got).p, cases[i].wrapped);
	}
}

int main(void)
{
	RUN(cmocka_unit_test(the_program_comes_after_the_options_and_their_words));
}
