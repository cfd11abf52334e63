/* SPDX-License-Identifier: BSD-3-Clause */
/* floor.c - what the kernel charges for the data of one sample, nothing being parsed */
#include "base/str.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define FILES_MAX 64
#define ROUNDS_MAX 100000

static const char usage[] =
	"usage: floor [-n ROUNDS] [-i MS] [-b BYTES -o FILE] PATH...\n"
	"Opens each PATH once; each round reads all of them with one pread each, and appends\n"
	"BYTES to FILE.  Prints the median of the rounds' CPU time in ns.  -n 0: never ends.\n";

struct source {
	int fd;
	size_t size;	/* of the buffer: /proc/sys allocates as much as it is offered */
};

static struct source sources[FILES_MAX];
static size_t n_sources;
static char buf[1 << 20];
static uint32_t ns[ROUNDS_MAX];

static uint64_t cpu_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void die(const char *what)
{
	fprintf(stderr, "floor: %s: %s\n", what, strerror(errno));
	exit(1);
}

/* A file that this kernel lacks costs nothing, as it would cost a sample nothing. */
static void open_source(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return;
	bool sysctl = strncmp(path, "/proc/sys/", 10) == 0;
	sources[n_sources++] = (struct source){ fd, sysctl ? 512 : sizeof(buf) };
}

static uint64_t one_round(int out, size_t bytes)
{
	uint64_t start = cpu_ns();

	for (size_t i = 0; i < n_sources; i++)
		if (pread(sources[i].fd, buf, sources[i].size, 0) < 0)
			die("pread");
	if (out >= 0 && write(out, buf, bytes) < 0)
		die("write");
	return cpu_ns() - start;
}

static size_t number(const char *word, size_t most)
{
	struct str in = str_of(word);
	uint64_t v;
	if (!str_take_u64(&in, &v) || in.n || v > most) {
		fputs(usage, stderr);
		exit(2);
	}
	return v;
}

static int by_value(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	return (x > y) - (x < y);
}

int main(int argc, char *argv[])
{
	size_t rounds = 1000, ms = 0, bytes = 0;
	const char *file = NULL;
	int c, out = -1;

	while ((c = getopt(argc, argv, "n:i:b:o:")) >= 0) {
		switch (c) {
		case 'n': rounds = number(optarg, ROUNDS_MAX); break;
		case 'i': ms = number(optarg, 86400000);       break;
		case 'b': bytes = number(optarg, sizeof(buf)); break;
		case 'o': file = optarg;                       break;
		default:  fputs(usage, stderr);                return 2;
		}
	}
	if (optind == argc || argc - optind > FILES_MAX) {
		fputs(usage, stderr);
		return 2;
	}
	for (int i = optind; i < argc; i++)
		open_source(argv[i]);
	if (file && (out = open(file, O_WRONLY | O_CREAT | O_APPEND | O_TRUNC, 0600)) < 0)
		die(file);

	struct timespec pause = { (time_t)(ms / 1000), (long)(ms % 1000 * 1000000) };
	memset(ns, 1, sizeof(ns));	/* touched before it counts */
	one_round(out, bytes);
	for (size_t i = 0; rounds == 0 || i < rounds; i++) {
		if (ms)
			nanosleep(&pause, NULL);
		ns[i % ROUNDS_MAX] = (uint32_t)one_round(out, bytes);
	}
	qsort(ns, rounds, sizeof(*ns), by_value);
	printf("%u\n", ns[rounds / 2]);
	return 0;
}
