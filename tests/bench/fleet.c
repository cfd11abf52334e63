/* SPDX-License-Identifier: BSD-3-Clause */
/* fleet.c - deliver records of many simulated nodes, each with its own connection, to a sink */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/clock.h"
#include "base/files.h"
#include "formats/raw_read.h"
#include "send/feed_deliver.h"
#include "sinks/sink.h"
#include "tests/bench/rounds.h"

static const char usage[] =
	"usage: fleet [-n NODES] [-p PROCESSES] [-r RECORDS] [-b] [-d SECONDS]\n"
	"             RAW-FILE SINK [KEY=VALUE...]\n"
	"Each node delivers the first records of the file, one at a time, as [sink SINK] does.\n"
	"Prints samples, seconds, ns of CPU time, bytes, failures, and the most attempts in\n"
	"one second after the first ten.\n"
	"-b: what fails is tried again as nodometer-send does; else it ends the program.\n"
	"-d: each record waits as with delay = SECONDS; then the first ten count, too.\n";

#define SECONDS_MAX 600
/* seconds ignored in the peak: when an outage begins, all senders fail at the same time */
#define FIRST_S     10
#define NODES_MAX   100000

struct fleet {
	const struct sink *sink;
	char **keys;
	size_t n_keys, nodes, processes, records;
	bool backs_off;
	int64_t delay_us;
	const char *file;
	struct totals {
		_Atomic uint64_t samples, cpu_ns, bytes, failures;
		_Atomic uint64_t attempts[SECONDS_MAX];
	} *totals;
	int64_t began_ns;
};

struct sender {
	void *state;
	struct sink_node node;
	struct sink_place place;
	char host[32];
	uint64_t sent, retry_after_s;
	int again_s;
	int64_t due_ns;
	bool waits;		/* the sender waits until its record is accepted */
};

static void set_keys(const struct fleet *f, void *state)
{
	struct buf why CLEANUP(buf_free) = { 0 };
	const struct key *k = f->sink->keys;
	for (size_t i = 0; i < f->sink->n_keys; i++)
		if (k[i].usual && !key_set(&k[i], state, k[i].usual, &why))
			die("a key's default");
	for (size_t i = 0; i < f->n_keys; i++) {
		char name[64];
		const char *value = strchr(f->keys[i], '=');
		snprintf(name, sizeof(name), "%.*s", (int)(value - f->keys[i]), f->keys[i]);
		k = key_find(f->sink->keys, f->sink->n_keys, name);
		if (!k || !key_set(k, state, value + 1, &why))
			die(f->keys[i]);
	}
	if (f->sink->check && f->sink->check(state, &why) < 0) {
		buf_add_char(&why, '\0');
		die(why.p);
	}
}

static void open_sender(const struct fleet *f, struct sender *s, size_t number)
{
	struct buf why CLEANUP(buf_free) = { 0 };
	snprintf(s->host, sizeof(s->host), "n%05zu", number);
	s->state = calloc(1, f->sink->size);
	s->node = (struct sink_node){
		.host = s->host, .types = "", .drop = "", .labels = "cluster=bench",
		.sent = &s->sent, .retry_after_s = &s->retry_after_s, .place = &s->place,
	};
	if (!s->state)
		die("memory");
	set_keys(f, s->state);
	if (f->sink->open && f->sink->open(s->state, &s->node, &why) < 0)
		die("open");
}

/*
 * Count an attempt to deliver in the second in which it was made. With a delay, count it in the
 * second in which it was due: the machine that simulates all nodes may be late, but real nodes
 * would not be.
 */
static void note_attempt(const struct fleet *f, const struct sender *s)
{
	int64_t at = f->delay_us ? s->due_ns : monotonic_ns();
	int64_t second = (at - f->began_ns) / 1000000000;
	if (second < SECONDS_MAX)
		atomic_fetch_add(&f->totals->attempts[second], 1);
}

/* Try once to deliver a sender's record. Returns true if the record was accepted. */
static bool deliver(const struct fleet *f, struct sender *s)
{
	struct buf why CLEANUP(buf_free) = { 0 };
	note_attempt(f, s);
	int r = f->sink->flush(s->state, &why);
	buf_add_char(&why, '\0');
	if (r == 0) {
		s->again_s = 0;
		atomic_fetch_add(&f->totals->samples, 1);
		return true;
	}
	atomic_fetch_add(&f->totals->failures, 1);
	if (!f->backs_off)
		die(why.n > 1 ? why.p : strerror(-r));
	s->due_ns = monotonic_ns() + back_off_ns(&s->again_s);
	return false;
}

/* Give one record with all types to n senders, and deliver it. */
static void deliver_all(const struct fleet *f, struct sender *s, size_t n, const struct record *g)
{
	struct buf why CLEANUP(buf_free) = { 0 };
	const int64_t now = monotonic_ns();
	size_t left = n;
	for (size_t i = 0; i < n; i++) {
		if (f->sink->put(s[i].state, g, &why) < 0)
			die("put");
		s[i].waits = true;
		s[i].due_ns = f->delay_us ?
			      now + feed_delay_us(s[i].host, f->delay_us) * 1000 : 0;
	}
	while (left) {
		for (size_t i = 0; i < n; i++)
			if (s[i].waits && (!s[i].due_ns || s[i].due_ns <= monotonic_ns()) &&
			    deliver(f, &s[i])) {
				s[i].waits = false;
				left--;
			}
		if (left)
			usleep(1000);
	}
}

static ssize_t read_fd(void *arg, char *to, size_t n)
{
	ssize_t got = read(*(int *)arg, to, n);
	return got < 0 ? -errno : got;
}

static void run(const struct fleet *f, size_t process)
{
	size_t n = f->nodes / f->processes;
	struct sender *s = calloc(n, sizeof(*s));
	int fd = open(f->file, O_RDONLY);
	const struct byte_source bytes = { read_fd, &fd };
	struct record_source records = raw_records(&bytes, NULL);
	const struct record *g;
	struct rusage used;
	if (!s || fd < 0)
		die(f->file);
	srandom((unsigned)getpid());
	for (size_t i = 0; i < n; i++)
		open_sender(f, &s[i], process * n + i);
	for (size_t i = 0; i < f->records && record_next(&records, &g) > 0; i++)
		deliver_all(f, s, n, g);
	getrusage(RUSAGE_SELF, &used);
	atomic_fetch_add(&f->totals->cpu_ns,
			 (uint64_t)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) * 1000000000 +
			 (uint64_t)(used.ru_utime.tv_usec + used.ru_stime.tv_usec) * 1000);
	for (size_t i = 0; i < n; i++)
		atomic_fetch_add(&f->totals->bytes, s[i].sent);
	_exit(0);
}

static void print(const struct fleet *f)
{
	const struct totals *t = f->totals;
	uint64_t most = 0;
	for (size_t i = f->delay_us ? 0 : FIRST_S; i < SECONDS_MAX; i++)
		most = t->attempts[i] > most ? t->attempts[i] : most;
	printf("%llu %.3f %llu %llu %llu %llu\n", (unsigned long long)t->samples,
	       (double)(monotonic_ns() - f->began_ns) / 1e9, (unsigned long long)t->cpu_ns,
	       (unsigned long long)t->bytes, (unsigned long long)t->failures,
	       (unsigned long long)most);
}

int main(int argc, char *argv[])
{
	struct fleet f = { .nodes = 1000, .processes = 4, .records = 10 };
	int c, failed = 0, status;
	while ((c = getopt(argc, argv, "n:p:r:bd:")) >= 0) {
		switch (c) {
		case 'n': f.nodes = (size_t)number(optarg, NODES_MAX);     break;
		case 'p': f.processes = (size_t)number(optarg, 64);        break;
		case 'r': f.records = (size_t)number(optarg, 1000000);     break;
		case 'b': f.backs_off = true;                              break;
		case 'd': f.delay_us = (int64_t)number(optarg, 3600) * 1000000; break;
		default:  fputs(usage, stderr);                            return 2;
		}
	}
	f.sink = optind + 1 < argc ? sink_find(str_of(argv[optind + 1])) : NULL;
	if (!f.sink || f.nodes < f.processes) {
		fputs(usage, stderr);
		return 2;
	}
	f.file = argv[optind];
	f.keys = argv + optind + 2;
	f.n_keys = (size_t)(argc - optind - 2);
	f.totals = mmap(NULL, sizeof(*f.totals), PROT_READ | PROT_WRITE,
			MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (f.totals == MAP_FAILED)
		die("memory");
	signal(SIGPIPE, SIG_IGN);
	f.began_ns = monotonic_ns();
	for (size_t i = 0; i < f.processes; i++)
		if (fork() == 0)
			run(&f, i);
	while (wait(&status) > 0)
		failed |= status;
	if (!failed)
		print(&f);
	return failed != 0;
}
