/* SPDX-License-Identifier: BSD-3-Clause */
/* floor.c - what the kernel charges for the data of one sample, nothing being parsed */
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "tests/bench/rounds.h"

#define FILES_MAX 64

struct source {
	int fd;
	size_t size;	/* of the buffer: /proc/sys allocates as much as it is offered */
};

static struct source sources[FILES_MAX];
static size_t n_sources;
static char buf[1 << 20];

/* Opened once. A file that this kernel lacks costs nothing, as it costs a sample nothing. */
static void begin(size_t n, char *const paths[])
{
	for (size_t i = 0; i < n && n_sources < FILES_MAX; i++) {
		int fd = open(paths[i], O_RDONLY | O_CLOEXEC);
		bool sysctl = strncmp(paths[i], "/proc/sys/", 10) == 0;
		if (fd >= 0)
			sources[n_sources++] = (struct source){ fd, sysctl ? 512 : sizeof(buf) };
	}
}

static void round_of_reads(int out, size_t bytes)
{
	for (size_t i = 0; i < n_sources; i++)
		if (pread(sources[i].fd, buf, sources[i].size, 0) < 0)
			bench_die("pread");
	if (out >= 0 && write(out, buf, bytes) < 0)
		bench_die("write");
}

int main(int argc, char **argv)
{
	const struct bench floor = {
		.usage = "PATH...: each is read with one pread a round, BYTES are appended",
		.begin = begin,
		.round = round_of_reads,
	};
	return bench_run(&floor, argc, argv);
}
