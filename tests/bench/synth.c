/* SPDX-License-Identifier: BSD-3-Clause */
/* synth.c - make archives of many nodes and days: whole, or sparse ones with indexes only */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "archive/index.h"
#include "archive/pack.h"
#include "base/files.h"

#define FIRST    1750000000	/* time of the first file */
#define DAY      86400
#define INTERVAL 600
#define SPARSE   400000		/* bytes before the index of a sparse file */

struct plan {
	const char *dir, *job;
	unsigned hosts, days, job_hosts;
	unsigned jobs;	/* number of jobs a day on each host */
	/* parts of the raw file that is the model for all files; empty for sparse archives */
	struct str header, groups;
};

static void fail(const char *what)
{
	fprintf(stderr, "synth: %s: %s\n", what, strerror(errno));
	exit(1);
}

/*
 * Write job number i of a day. On p->job_hosts of the hosts, the third job of the middle day is the
 * job to search for.
 */
static void put_job(struct buf *b, const struct plan *p, unsigned host, unsigned day, unsigned i)
{
	if (i == 2 && day == p->days / 2 && host % (p->hosts / p->job_hosts) == 0 &&
	    host / (p->hosts / p->job_hosts) < p->job_hosts)
		buf_add(b, str_of(p->job));
	else
		buf_addf(b, "%u", 1000000 + (day * p->jobs + i) * p->hosts / 4 + host / 4);
}

/*
 * Return the next record group of the raw file, from its second line on. After the last one, start
 * again.
 */
static struct str next_group(const struct plan *p, struct str *left)
{
	if (left->n == 0)
		*left = p->groups;
	const char *end = memmem(left->p, left->n, "\n\n", 2);
	size_t n = end ? (size_t)(end + 2 - left->p) : left->n;
	struct str group = { left->p, n - (end ? 1 : 0) }, line;
	*left = str_skip(*left, n);
	str_take_line(&group, &line);
	return group;
}

static void put_records(struct buf *b, const struct plan *p, unsigned host, unsigned day)
{
	struct str left = { 0 }, header = p->header, line;
	while (str_take_line(&header, &line))
		if (str_starts(line, STR("$hostname ")))
			buf_addf(b, "$hostname n%05u\n", host);
		else
			buf_addf(b, STR_FMT "\n", STR_ARG(line));
	for (unsigned t = 0; t < DAY / INTERVAL; t++) {
		unsigned job = t * p->jobs / (DAY / INTERVAL), each = DAY / INTERVAL / p->jobs;
		buf_addf(b, "\n%u ", FIRST + day * DAY + t * INTERVAL);
		put_job(b, p, host, day, job);
		buf_add_char(b, '\n');
		if (t % each == 0 || t % each == each - 1) {
			buf_add(b, t % each ? STR("%end ") : STR("%begin "));
			put_job(b, p, host, day, job);
			if (t % each == 0)
				buf_addf(b, " user=u%u account=a%u", (host / 4 + job) % 97,
					 (host / 4 + job) % 13);
			buf_add_char(b, '\n');
		}
		buf_add(b, next_group(p, &left));
	}
}

static void write_whole(int at, const char *name, const struct plan *p, unsigned host, unsigned day)
{
	struct buf b CLEANUP(buf_free) = { 0 };
	int fd CLEANUP(close_fd) = openat(at, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0640);
	put_records(&b, p, host, day);
	if (fd < 0 || files_write(fd, buf_str(&b)) < 0 || pack_file(at, name) < 0)
		fail(name);
}

static void write_sparse(int at, const char *name, const struct plan *p, unsigned host,
			 unsigned day)
{
	static const char hole[INDEX_TAIL];
	struct buf text CLEANUP(buf_free) = { 0 }, frame CLEANUP(buf_free) = { 0 };
	buf_addf(&text, "records %d %d000000 %d000000\n", DAY / INTERVAL, FIRST, FIRST + DAY);
	for (unsigned i = 0; i < p->jobs; i++) {
		buf_add(&text, STR("job "));
		put_job(&text, p, host, day, i);
		buf_addf(&text, " %d000000 %d000000 %d be someone\n", FIRST, FIRST + DAY, 36);
	}
	index_put_frame(&frame, buf_str(&text), SPARSE, hole);
	int fd CLEANUP(close_fd) = openat(at, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0640);
	if (fd < 0 || pwrite(fd, frame.p, frame.n, SPARSE) != (ssize_t)frame.n)
		fail(name);
}

static bool has_job(const struct plan *p, unsigned host, unsigned day)
{
	struct buf b CLEANUP(buf_free) = { 0 };
	put_job(&b, p, host, day, 2);
	return str_eq(buf_str(&b), str_of(p->job));
}

static void write_host(const struct plan *p, unsigned host, bool sparse)
{
	char path[4096], name[64];
	snprintf(path, sizeof(path), "%s/n%05u", p->dir, host);
	if (mkdir(path, 0755) < 0)
		fail(path);
	int at CLEANUP(close_fd) = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	for (unsigned day = 0; day < p->days; day++) {
		bool whole = !sparse || has_job(p, host, day);
		snprintf(name, sizeof(name), "%u%s", FIRST + day * DAY, whole ? "" : ".zst");
		(whole ? write_whole : write_sparse)(at, name, p, host, day);
	}
}

static void read_raw(struct plan *p, const char *path, struct buf *b)
{
	int fd CLEANUP(close_fd) = open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;
	if (fd < 0 || fstat(fd, &st) < 0)
		fail(path);
	size_t want = st.st_size < (4 << 20) ? (size_t)st.st_size : 4 << 20;
	buf_reserve(b, want);
	if (read(fd, b->p, want) != (ssize_t)want)
		fail(path);
	b->n = want;
	const char *end = memmem(b->p, b->n, "\n\n", 2);
	while (b->n && (b->n < 2 || b->p[b->n - 1] != '\n' || b->p[b->n - 2] != '\n'))
		b->n--;		/* drop a record group that was cut off at the end */
	if (!end || b->n == 0)
		fail("no record group in it");
	p->header = (struct str){ b->p, (size_t)(end + 1 - b->p) };
	p->groups = str_skip((struct str){ b->p, b->n }, p->header.n + 1);
}

/* Numbers of the command line: hosts, days, hosts of the job, jobs a day on each host. */
static bool take_numbers(struct plan *p, char **argv, int argc)
{
	static const int at[] = { 4, 5, 7, 8 };
	uint64_t n[ARRAY_SIZE(at)] = { [3] = 4 };

	for (size_t i = 0; i < ARRAY_SIZE(at) && at[i] < argc; i++) {
		struct str text = str_of(argv[at[i]]);
		if (!str_take_u64(&text, &n[i]) || n[i] == 0 || n[i] > 99999)
			return false;
	}
	p->hosts = (unsigned)n[0];
	p->days = (unsigned)n[1];
	p->job_hosts = (unsigned)n[2];
	p->jobs = (unsigned)n[3];
	return n[2] <= n[0] && n[1] <= 9999 && DAY / INTERVAL % n[3] == 0;
}

int main(int argc, char **argv)
{
	struct buf raw CLEANUP(buf_free) = { 0 };
	struct plan p = { 0 };
	if ((argc != 8 && argc != 9) || !take_numbers(&p, argv, argc)) {
		fprintf(stderr, "usage: synth whole|sparse RAW DIR HOSTS DAYS JOB HOSTS-OF-JOB "
			"[JOBS-A-DAY]\n");
		return 2;
	}
	p.dir = argv[3];
	p.job = argv[6];
	read_raw(&p, argv[2], &raw);
	if (mkdir(p.dir, 0755) < 0)
		fail(p.dir);
	for (unsigned host = 0; host < p.hosts; host++)
		write_host(&p, host, strcmp(argv[1], "sparse") == 0);
	return 0;
}
