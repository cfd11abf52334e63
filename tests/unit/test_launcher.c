/* SPDX-License-Identifier: BSD-3-Clause */
/* test_launcher.c - find the program in a launcher's command line, and the rank of a process */
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

/*
 * Put RUN before each program of the line. to: the new line, "OPTION?" for an unknown option, or ""
 * if the line has no launcher.
 */
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

TEST(program_comes_after_the_options_and_their_arguments)
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

/* Return the launcher's data found in an environment of only these variables, "NAME=VALUE ...". */
static struct launcher_place place_in(const char *environment)
{
	char text[512], *word[WORDS];
	assert_true(str_copy(text, sizeof(text), str_of(environment)));
	split(text, word);
	clearenv();
	for (size_t i = 0; word[i]; i++) {
		char *value = strchr(word[i], '=');
		*value = '\0';
		assert_int_equal(setenv(word[i], value + 1, 1), 0);
	}
	return launcher_place();
}

TEST(rank_knows_its_launcher_node_and_run)
{
	static const struct {
		const char *environment;
		struct launcher_place is;
	} cases[] = {
		{ "PATH=/bin", { NULL } },
		{ "SLURM_JOB_ID=7 SLURM_PROCID=5 SLURM_STEP_ID=2 SLURM_STEP_NUM_NODES=3 "
		  "SLURM_NODEID=2 SLURM_STEP_TASKS_PER_NODE=4(x2),1", { "srun", "7.2", 5, 1, 3 } },
		{ "SLURM_JOB_ID=7 SLURM_PROCID=0 SLURM_STEP_ID=4294967291", { NULL } },
		/* mpirun inside a batch script of Slurm */
		{ "SLURM_JOB_ID=7 SLURM_PROCID=0 SLURM_STEP_ID=0 OMPI_COMM_WORLD_RANK=3 "
		  "OMPI_COMM_WORLD_LOCAL_SIZE=2 OMPI_MCA_orte_num_nodes=2 PMIX_NAMESPACE=1,1",
		  { "mpirun", "1_1", 3, 2, 2 } },
		{ "PMI_RANK=3 PMI_SIZE=4 MPI_LOCALNRANKS=2 MPI_LOCALRANKID=1",
		  { "mpiexec", "", 3, 2, 0 } },
		/* Flux also sets the variables of PMI: flux-environment(7) */
		{ "FLUX_JOB_ID=f2bXc3 FLUX_JOB_SIZE=8 FLUX_JOB_NNODES=2 FLUX_TASK_RANK=6 "
		  "FLUX_TASK_LOCAL_ID=2 PMI_FD=9 PMI_RANK=6 PMI_SIZE=8",
		  { "flux run", "f2bXc3", 6, 0, 2 } },
		{ "LSB_JOBID=81 JSM_NAMESPACE_ID=1 JSM_NAMESPACE_RANK=5 JSM_NAMESPACE_SIZE=8 "
		  "JSM_NAMESPACE_LOCAL_RANK=1 JSM_NAMESPACE_LOCAL_SIZE=4 PMIX_RANK=5",
		  { "jsrun", "81.1", 5, 4, 0 } },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct launcher_place p = place_in(cases[i].environment);
		const struct launcher_place *is = &cases[i].is;
		assert_true(!p.launcher == !is->launcher);
		if (!is->launcher)
			continue;
		assert_string_equal(p.launcher, is->launcher);
		assert_string_equal(p.id, is->id);
		assert_int_equal(p.rank, is->rank);
		assert_int_equal(p.ranks_here, is->ranks_here);
		assert_int_equal(p.nodes, is->nodes);
	}
}

int main(void)
{
	RUN(cmocka_unit_test(program_comes_after_the_options_and_their_arguments),
	    cmocka_unit_test(rank_knows_its_launcher_node_and_run));
}
