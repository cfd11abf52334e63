/* SPDX-License-Identifier: BSD-3-Clause */
/* node.c - measure the cost of each type on a large node made by node.sh */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "base/vec.h"
#include "recorder/sampler.h"
#include "collectors/pmu/pmu.h"
#include "formats/raw_write.h"
#include "tests/bench/perf_memfd.h"
#include "tests/bench/rounds.h"

#define ROUNDS 10000
#define LONG_TIME_NS 60000000000

static const char usage[] =
	"usage: node [-n ROUNDS] [-m | -w] ROOT\n"
	"Takes samples of all types that this root has, also of those that are off by default.\n"
	"Prints for each type whether it is on by default, rows, bytes, the median CPU time in ns\n"
	"of it and of its floor, a loop that only does the preads of it that gave something, and\n"
	"its groups of counters; last what a read of a counter takes on this CPU and on another.\n"
	"-m: one turn of each type, its name written to descriptor -1 first, as a mark for strace\n"
	"-w: whole samples only, as the agent takes them, the last one between marks\n";

/*
 * A pread(2) that a type made. floor_turn() repeats these calls, to measure what reading alone
 * costs.
 */
struct reading {
	int fd;
	size_t size;
	off_t at;
};

struct turn {
	struct type_state *t;
	size_t first, end; /* the type's readings are reading[first] to reading[end - 1] */
	uint32_t own[ROUNDS], floor[ROUNDS];
};

static struct bench {
	struct sampler s;
	struct turn *turn;
	struct reading *reading;
	size_t n, n_readings, cap_readings;
	struct buf out;
	bool noting;
	uint64_t clock_ns;		/* cost of reading the clock */
} bench;

static char anything[1 << 20];

static ssize_t real_pread(int fd, void *to, size_t size, off_t at)
{
	return syscall(SYS_pread64, fd, to, size, at);
}

/* Replace the C library's pread() to note each call. A read at the end of a file is not noted. */
ssize_t pread(int fd, void *to, size_t size, off_t at)
{
	ssize_t got = real_pread(fd, to, size, at);
	struct bench *b = &bench;
	if (!b->noting || got <= 0)
		return got;
	b->reading = vec_reserve(b->reading, &b->cap_readings, b->n_readings + 1,
				 sizeof(*b->reading));
	b->reading[b->n_readings++] = (struct reading){
		fd, size < sizeof(anything) ? size : sizeof(anything), at
	};
	return got;
}

/*
 * Treat the tree as the machine's root, so that hardware events are counted. Type proc still gets a
 * captured tree, whose processes it sorts unless the file system lists them in order, as /proc and
 * a tmpfs made by node.sh do. Types that normally have a worker process are collected in this
 * process, so that their time is measured.
 */
static void take_for_real(struct sampler *s)
{
	s->root.in_root = s->shared.files.in_root = false;
	for (size_t i = 0; i < n_collectors; i++) {
		s->type[i].isolated = false;
		s->type[i].source.files.in_root = strcmp(types[i]->name, "proc") == 0;
	}
}

static void whole_sample(void *arg)
{
	struct bench *b = arg;
	b->out.n = 0;
	sampler_collect(&b->s);
	sampler_put_rows(&b->s, &b->out, 0, 0);
}

static void own_turn(struct bench *b, struct type_state *t)
{
	t->source.rescan = false;
	source_clear(&t->source);
	if (t->c->collect(&t->source) == 0)
		raw_put_rows(&b->out, t->name, &t->source.rows, t->mask, &t->kinds);
}

static void floor_turn(const struct bench *b, const struct turn *turn)
{
	for (size_t i = turn->first; i < turn->end; i++) {
		const struct reading *r = &b->reading[i];
		if (real_pread(r->fd, anything, r->size, r->at) < 0)
			die("pread");
	}
}

static uint32_t less_clock(const struct bench *b, uint64_t ns)
{
	return ns > b->clock_ns ? (uint32_t)(ns - b->clock_ns) : 0;
}

static void one_round(struct bench *b, size_t round)
{
	b->out.n = 0;
	shared_clear(&b->s.shared, false);
	for (size_t i = 0; i < b->n; i++) {
		struct turn *turn = &b->turn[i];
		uint64_t start = cpu_ns();
		own_turn(b, turn->t);
		uint64_t middle = cpu_ns();
		floor_turn(b, turn);
		turn->own[round] = less_clock(b, middle - start);
		turn->floor[round] = less_clock(b, cpu_ns() - middle);
	}
}

static void marked_round(struct bench *b)
{
	b->out.n = 0;
	shared_clear(&b->s.shared, false);
	for (size_t i = 0; i < b->n; i++) {
		mark(b->turn[i].t->c->type->name);
		own_turn(b, b->turn[i].t);
	}
	mark("");
}

static void begin(struct bench *b)
{
	for (int i = 0; i < 3; i++)
		whole_sample(b);
	b->turn = xrealloc(NULL, b->s.n_collected * sizeof(*b->turn));
	for (size_t i = 0; i < b->s.n_collected; i++)
		if (b->s.collected[i]->result == 0)
			b->turn[b->n++].t = b->s.collected[i];
	shared_clear(&b->s.shared, false);
	b->out.n = 0;
	b->noting = true;
	for (size_t i = 0; i < b->n; i++) {
		b->turn[i].first = b->n_readings;
		own_turn(b, b->turn[i].t);
		b->turn[i].end = b->n_readings;
	}
	b->noting = false;
	if (!b->n_readings) {
		fprintf(stderr, "no type reads anything with pread\n");
		exit(1);
	}

	uint32_t ns[101];
	for (size_t i = 0; i < ARRAY_SIZE(ns); i++) {
		uint64_t start = cpu_ns();
		ns[i] = (uint32_t)(cpu_ns() - start);
	}
	b->clock_ns = median(ns, ARRAY_SIZE(ns));
}

static void print(const struct bench *b, size_t rounds)
{
	uint64_t near, far;
	for (size_t i = 0; i < b->n; i++) {
		struct turn *turn = &b->turn[i];
		const struct collector *c = turn->t->c;
		const struct source *s = &turn->t->source;
		printf("%s %s %zu %" PRIu64 " %u %u %zu\n", c->type->name,
		       c->type->off ? "off" : "on", s->rows.n, s->bytes, median(turn->own, rounds),
		       median(turn->floor, rounds), type_interrupts(turn->t));
	}
	perf_measure(&near, &far);
	printf("perf_read - %" PRIu64 " %" PRIu64 "\n", near, far);
}

int main(int argc, char *argv[])
{
	struct bench *b = &bench;
	size_t n = 100;
	bool whole = false, marks = false;
	int c;

	while ((c = getopt(argc, argv, "n:mw")) >= 0) {
		switch (c) {
		case 'n': n = number(optarg, ROUNDS);  break;
		case 'm': marks = true;                break;
		case 'w': whole = true;                break;
		default:  fputs(usage, stderr);        return 2;
		}
	}
	if (optind != argc - 1) {
		fputs(usage, stderr);
		return 2;
	}
	enum type_use *use = xrealloc(NULL, n_collectors * sizeof(*use));
	for (size_t i = 0; i < n_collectors; i++)
		use[i] = USE_ON;
	if (sampler_init(&b->s, argv[optind], use, LONG_TIME_NS) < 0)
		die(argv[optind]);
	take_for_real(&b->s);
	begin(b);
	if (whole)
		rounds_run(&(struct rounds){ .n = n, .marked = true }, whole_sample, b);
	for (size_t i = 0; i < n && !whole && !marks; i++)
		one_round(b, i);
	if (marks)
		marked_round(b);
	else if (!whole)
		print(b, n);
	sampler_free(&b->s);
	free(use);
	free(b->turn);
	free(b->reading);
	buf_free(&b->out);
	return 0;
}
