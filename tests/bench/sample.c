/* SPDX-License-Identifier: BSD-3-Clause */
/* sample.c - what the agent's sample costs: collected, printed, and appended to a file */
#include <errno.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "agent/sampler.h"
#include "formats/raw_write.h"
#include "tests/bench/rounds.h"

static struct sampler sampler;
static struct buf group;

/* The words are the types to leave out. */
static void begin(size_t n, char *const words[])
{
	enum type_use *use = xrealloc(NULL, n_collectors * sizeof(*use));

	for (size_t i = 0; i < n_collectors; i++) {
		use[i] = USE_DEFAULT;
		for (size_t k = 0; k < n; k++)
			if (strcmp(words[k], collectors[i]->name) == 0)
				use[i] = USE_OFF;
	}
	errno = -sampler_init(&sampler, "/", use, 1000000000);
	if (errno)
		bench_die("/");
}

static void round_of_sampling(int out, __attribute__((unused)) size_t bytes)
{
	struct timespec t;
	clock_gettime(CLOCK_REALTIME, &t);
	group.n = 0;
	sampler_collect(&sampler);
	raw_put_group(&group, (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000, STR("-"), STR(""));
	sampler_put_rows(&sampler, &group, 0, 0);
	if (out >= 0 && write(out, group.p, group.n) < 0)
		bench_die("write");
}

int main(int argc, char **argv)
{
	const struct bench sample = {
		.usage = "TYPE...: those are left out of the sample",
		.begin = begin,
		.round = round_of_sampling,
	};
	return bench_run(&sample, argc, argv);
}
