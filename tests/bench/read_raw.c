/* SPDX-License-Identifier: BSD-3-Clause */
/* read_raw.c - measure the cost of reading: parse and add up every value of a raw file */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>
#include "base/files.h"
#include "formats/format.h"

struct plain {
	int fd;
	uint64_t bytes;
};

static ssize_t read_plain(void *arg, char *to, size_t n)
{
	struct plain *in = arg;
	ssize_t got = read(in->fd, to, n);
	if (got > 0)
		in->bytes += (uint64_t)got;
	return got < 0 ? -errno : got;
}

static double cpu_seconds(void)
{
	struct rusage u;
	getrusage(RUSAGE_SELF, &u);
	return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
	       (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) * 1e-6;
}

static void count_bad_line(void *arg, enum record_defect kind, uint64_t line, const char *what)
{
	uint64_t *n = arg;
	(void)line;
	(void)what;
	*n += kind == RECORD_BAD_LINE;
}

static uint64_t sum_of(const struct record_row *row, size_t n_keys)
{
	uint64_t sum = 0;
	for (size_t k = 0; k < n_keys; k++)
		sum += row->value[k];
	return sum;
}

int main(int argc, char **argv)
{
	int fd CLEANUP(close_fd) = argc == 2 ? open(argv[1], O_RDONLY | O_CLOEXEC) : -1;
	if (fd < 0) {
		fprintf(stderr, "usage: read_raw FILE\n");
		return 2;
	}
	struct plain in = { .fd = fd };
	uint64_t bad_lines = 0;
	const struct record_listener listener = { count_bad_line, &bad_lines };
	struct record_source r = records_open(&(struct byte_source){ read_plain, &in }, &listener);
	const struct record *g;
	uint64_t groups = 0, rows = 0, values = 0, sum = 0;
	int more;

	while ((more = record_next(&r, &g)) > 0) {
		groups++;
		rows += g->n_rows;
		for (size_t i = 0; i < g->n_types; i++)
			for (size_t k = 0; k < g->rows[i].n; k++) {
				sum += sum_of(&g->rows[i].row[k], g->rows[i].type->n_keys);
				values += g->rows[i].type->n_keys;
			}
	}
	double cpu = cpu_seconds();
	printf("%" PRIu64 " groups, %" PRIu64 " rows, %" PRIu64 " values, sum %" PRIu64 "; %" PRIu64
	       " bytes in %.3f CPU s, %.0f MB/s; %" PRIu64 " bad lines\n",
	       groups, rows, values, sum, in.bytes, cpu, (double)in.bytes / 1e6 / cpu,
	       bad_lines);
	record_source_end(&r);
	return more < 0;
}
