/* SPDX-License-Identifier: BSD-3-Clause */
/* floor.c - measure the kernel's cost for the data of one sample, without parsing */
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/vfs.h>
#include <unistd.h>
#include "tests/bench/rounds.h"

#define FILES_MAX 64

static const char usage[] =
	"usage: floor [-n ROUNDS] [-i MS] [-b BYTES -o FILE] [-s DIR]... PATH...\n"
	"Opens each PATH once; each round reads all of them with one pread each, asks whether\n"
	"the mounts changed if there is a DIR, asks statfs of each DIR, and appends BYTES to\n"
	"FILE.  Prints the median of the rounds' CPU time in ns.  -n 0: never ends.\n";

struct floor {
	struct source {
		int fd;
		/* size of the buffer; /proc/sys allocates as much as the reader offers */
		size_t size;
	} source[FILES_MAX];
	size_t n;
	const char *dir[FILES_MAX];
	size_t n_dirs;
	int mounts;
	int out;
	size_t bytes;
};

static char buf[1 << 20];

/* Skip a file that this kernel lacks, because a sample does not read it either. */
static void open_source(struct floor *f, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return;
	bool sysctl = strncmp(path, "/proc/sys/", 10) == 0;
	f->source[f->n++] = (struct source){ fd, sysctl ? 512 : sizeof(buf) };
}

static void one_round(void *arg)
{
	const struct floor *f = arg;

	for (size_t i = 0; i < f->n; i++)
		if (pread(f->source[i].fd, buf, f->source[i].size, 0) < 0)
			die("pread");
	struct pollfd changed = { .fd = f->mounts, .events = POLLPRI };
	if (f->n_dirs && poll(&changed, 1, 0) < 0)
		die("poll");
	struct statfs fs;
	for (size_t i = 0; i < f->n_dirs; i++)
		if (statfs(f->dir[i], &fs) < 0)
			die(f->dir[i]);
	if (f->out >= 0 && write(f->out, buf, f->bytes) < 0)
		die("write");
}

int main(int argc, char *argv[])
{
	static struct floor f = { .out = -1 };
	struct rounds r = { .n = 1000 };
	const char *file = NULL;
	int c;

	while ((c = getopt(argc, argv, "n:i:b:o:s:")) >= 0) {
		switch (c) {
		case 'n': r.n = number(optarg, ROUNDS_MAX);        break;
		case 'i': r.pause_ms = number(optarg, 86400000);   break;
		case 'b': f.bytes = number(optarg, sizeof(buf));   break;
		case 'o': file = optarg;                           break;
		case 's': f.dir[f.n_dirs++ % FILES_MAX] = optarg;  break;
		default:  fputs(usage, stderr);                    return 2;
		}
	}
	if (optind == argc || argc - optind > FILES_MAX || f.n_dirs > FILES_MAX) {
		fputs(usage, stderr);
		return 2;
	}
	for (int i = optind; i < argc; i++)
		open_source(&f, argv[i]);
	f.mounts = open("/proc/self/mounts", O_RDONLY | O_CLOEXEC);
	if (file && (f.out = open(file, O_WRONLY | O_CREAT | O_APPEND | O_TRUNC, 0600)) < 0)
		die(file);
	rounds_run(&r, one_round, &f);
	return 0;
}
