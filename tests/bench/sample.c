/* SPDX-License-Identifier: BSD-3-Clause */
/* sample.c - measure the cost of a sample: collect it, print it, append it to an archive */
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "recorder/requests.h"
#include "tests/bench/rounds.h"

static const char usage[] =
	"usage: sample [-n ROUNDS] [-i MS] [-mpaj] -o DIR [TYPE...]\n"
	"Takes samples of all types but proc (-p: proc as well), or of these, into an archive\n"
	"below DIR.  -a: by a writer process; -j: at the begin and the end of a job; -m: one more\n"
	"round, between two calls of write(-1).\n"
	"Prints the median of the rounds' CPU time in ns.  -n 0: never ends.\n";

static void one_round(void *arg)
{
	if (recorder_sample(arg, 0) < 0)
		die("sample");
}

static void one_job(void *arg)
{
	if (recorder_begin(arg, STR("7")) < 0 || recorder_end(arg, STR("7")) < 0)
		die("job");
}

static bool named(const char *type, char **names, int n)
{
	for (int i = 0; i < n; i++)
		if (strcmp(type, names[i]) == 0)
			return true;
	return n == 0;
}

int main(int argc, char *argv[])
{
	static struct recorder recorder;
	struct rounds r = { .n = 1000 };
	struct config config;
	char error[768];
	bool processes = false, agent = false, jobs = false;
	int c;

	config_init(&config);
	config.dir[0] = '\0';
	while ((c = getopt(argc, argv, "mn:i:o:paj")) >= 0) {
		switch (c) {
		case 'm': r.marked = true;                                            break;
		case 'n': r.n = number(optarg, ROUNDS_MAX);                           break;
		case 'i': r.pause_ms = number(optarg, 86400000);                      break;
		case 'o': str_copy(config.dir, sizeof(config.dir), str_of(optarg));   break;
		case 'p': processes = true;                                           break;
		case 'a': agent = true;                                               break;
		case 'j': jobs = true;                                                break;
		default:  fputs(usage, stderr);                                       return 2;
		}
	}
	if (!config.dir[0]) {
		fputs(usage, stderr);
		return 2;
	}
	for (size_t i = 0; i < n_collectors; i++)
		if (!named(types[i]->name, argv + optind, argc - optind) ||
		    (!processes && optind == argc && strcmp(types[i]->name, "proc") == 0))
			config.use[i] = USE_OFF;
	str_copy(config.runtime_dir, sizeof(config.runtime_dir), str_of(config.dir));
	if (recorder_open(&recorder, &config, NULL, error, sizeof(error)) < 0) {
		fprintf(stderr, "%s\n", error);
		return 1;
	}
	if (agent && recorder_serve(&recorder, 1000) < 0)
		return 1;
	rounds_run(&r, jobs ? one_job : one_round, &recorder);
	recorder_close(&recorder);
	config_free(&config);
	return 0;
}
