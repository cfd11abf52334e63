/* SPDX-License-Identifier: BSD-3-Clause */
/* nodometer-send.c - sends each new record group of this host's archive to monitoring hosts */
#include <errno.h>
#include <getopt.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>
#include "agent/follow.h"
#include "agent/options.h"
#include "archive/host.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/mounts.h"
#include "formats/xml_summary.h"
#include "sinks/udp.h"

#define FS_MAX  256
#define WAIT_S  2	/* until the archive's folder is looked for again */
#define BURST_BYTES (64u << 10)	/* receivers have little room by default (net.core.rmem_default) */
#define BURST_REST_NS 2000000

enum { ONCE = 1 };
static const struct option_help table[] = {
	{ "once", NULL, "send the last record group, and leave", ONCE },
	OPTIONS_COMMON,
};

struct sender {
	struct config c;
	struct host host;
	struct files root;
	struct udp udp;
	struct follow follow;
	struct xml_summary_pack pack;
	struct mounts mounts;
	struct xml_summary_fs fs[FS_MAX];
	size_t n_fs;
	time_t started;
	int64_t past_us;	/* TIME of the last group that is history, 0: none is */
	int64_t last_us;	/* TIME of the group that was sent last */
	bool any;		/* there is such a group */
	size_t burst;		/* bytes sent without a rest */
};

static volatile int stop;

static void on_signal(int which)
{
	(void)which;
	stop = 1;
}

static void send_packet(void *arg, struct str packet)
{
	struct sender *s = arg;
	udp_send(&s->udp, packet);
	s->burst += packet.n;
	if (s->burst < BURST_BYTES)
		return;
	s->burst = 0;
	nanosleep(&(struct timespec){ .tv_nsec = BURST_REST_NS }, NULL);
}

static bool type_is_wanted(void *arg, struct str type)
{
	const struct sender *s = arg;
	struct str list = str_of(s->c.summary_types), item;
	if (!list.n)
		return !str_eq(type, STR("proc"));
	while (str_take_item(&list, &item))
		if (str_eq(item, type))
			return true;
	return false;
}

/* One of the file systems on this node's disks, each once. */
static void take_fs(struct sender *s, const struct mount *m, dev_t *seen)
{
	struct statvfs v;
	struct stat st;
	char path[4096];
	if (s->n_fs == FS_MAX || !str_starts(m->device, STR("/dev/")) ||
	    str_starts(m->type, STR("fuse")) || !mount_path(path, sizeof(path), m->dir) ||
	    stat(path, &st) < 0 || !S_ISDIR(st.st_mode) || statvfs(path, &v) < 0)
		return;
	for (size_t i = 0; i < s->n_fs; i++)
		if (seen[i] == st.st_dev)
			return;
	seen[s->n_fs] = st.st_dev;
	s->fs[s->n_fs++] = (struct xml_summary_fs){
		.dir = m->dir, .inodes = v.f_files, .free_inodes = v.f_ffree,
		.total = (uint64_t)v.f_blocks * v.f_frsize / 1024,
		.free = (uint64_t)v.f_bavail * v.f_frsize / 1024,
	};
}

/* Those of another root are not ours to ask. */
static void look_at_fs(struct sender *s)
{
	dev_t seen[FS_MAX];
	struct str list;
	struct mount m;
	s->n_fs = 0;
	if (s->root.in_root || mounts_changed(&s->mounts, &s->root, &list) < 0)
		return;
	list = buf_str(&s->mounts.text);
	while (mount_take(&list, &m))
		take_fs(s, &m, seen);
}

static uint64_t usec_of(struct timeval t)
{
	return (uint64_t)t.tv_sec * 1000000 + (uint64_t)t.tv_usec;
}

static void send_group(struct sender *s, const struct raw_group *g)
{
	struct rusage used = { .ru_utime.tv_sec = 0 };
	int64_t now = realtime_us();
	struct xml_summary_sender who = {
		.host = str_of(s->host.name), .site = str_of(s->c.summary_site),
		.started = s->started, .read = g->usec / 1000000, .now = now,
		.elapsed_ms = now > g->usec ? (now - g->usec) / 1000 : 0, .pid = getpid(),
	};
	getrusage(RUSAGE_SELF, &used);
	look_at_fs(s);
	struct xml_summary_extra extra = {
		usec_of(used.ru_utime), usec_of(used.ru_stime), s->fs, s->n_fs,
	};
	xml_summary_put_group(&s->pack, g, &who, &extra, type_is_wanted, s);
}

/* It was in a file that was there before us, or in one that has come again, and was sent. */
static bool is_past(struct sender *s, const struct raw_group *g)
{
	if (g->usec > s->past_us)
		s->past_us = 0;
	return s->past_us || follow_is_past(&s->follow);
}

/* Sampling has its jitter: a tenth too early is on time. The clock may be set back. */
static void take_group(struct sender *s, const struct raw_group *g)
{
	int64_t interval = s->c.summary_interval_us, since = g->usec - s->last_us;
	if (is_past(s, g))
		return;
	if (s->any && since >= 0 && since < interval - interval / 10)
		return;
	s->burst = 0;
	send_group(s, g);
	s->last_us = g->usec;
	s->any = true;
}

static int follow_files(struct sender *s)
{
	const struct raw_group *g;
	bool first = true;
	int r;
	while ((r = follow_next_file(&s->follow)) == 0) {
		s->past_us = first && s->follow.fresh ? s->last_us : 0;
		s->follow.past = first && !s->follow.fresh;
		first = false;
		struct raw_source source = follow_source(&s->follow);
		struct raw_reader *reader = raw_reader_new(&source, NULL);
		while (!stop && (r = raw_read_group(reader, &g)) > 0)
			take_group(s, g);
		raw_reader_free(reader);
		if (r < 0)
			log_warning("current: %s", strerror(-r));
	}
	return s->follow.once && r == -ENOENT && s->any ? 0 : r;
}

/* What begins while there was none, or when the one that we followed has gone, is no past. */
static int open_archive(struct sender *s, const sigset_t *usual)
{
	bool said = false, fresh = s->any;
	for (;;) {
		int r = follow_open(&s->follow, s->c.dir, s->host.name);
		s->follow.fresh = fresh;
		if (r == 0)
			return 0;
		fresh |= r == -ENOENT;
		if (s->follow.once || (r != -ENOENT && r != -EACCES))
			return r;
		if (!said)
			log_notice("%s/%s: %s; waiting for it", s->c.dir, s->host.name,
				   strerror(-r));
		said = true;
		ppoll(NULL, 0, &(struct timespec){ .tv_sec = WAIT_S }, usual);
		if (stop)
			return -EINTR;
	}
}

/* A folder that was removed comes back with the agent's next sample. */
static int run(struct sender *s)
{
	sigset_t ours, usual;
	int r;
	sigemptyset(&ours);
	sigaddset(&ours, SIGTERM);
	sigaddset(&ours, SIGINT);
	sigprocmask(SIG_BLOCK, &ours, &usual);
	sigaction(SIGTERM, &(struct sigaction){ .sa_handler = on_signal }, NULL);
	sigaction(SIGINT, &(struct sigaction){ .sa_handler = on_signal }, NULL);
	do {
		follow_close(&s->follow);
		r = open_archive(s, &usual);
		if (r == 0)
			r = follow_files(s);
	} while (r == -ESTALE);
	return r;
}

static int usage(FILE *to, int status)
{
	fputs("usage: nodometer-send [OPTIONS]\n\n"
	      "Sends each new record group of this host's archive as XRootD summary packets to\n"
	      "the destinations in [summary] of the configuration.\n\n", to);
	if (to == stdout)
		options_print(table, ARRAY_SIZE(table));
	return status;
}

/* A status to leave with, or -1. */
static int take_options(struct sender *s, int argc, char **argv)
{
	struct options o = { NULL };
	int id;
	while ((id = options_next(&o, argc, argv, table, ARRAY_SIZE(table))) != -1) {
		if (id == OPTION_HELP)
			return usage(stdout, 0);
		if (id == OPTION_VERSION)
			return puts("nodometer-send " PACKAGE_VERSION) < 0;
		if (id != ONCE)
			return usage(stderr, 2);
		s->follow.once = true;
	}
	if (optind != argc)
		return usage(stderr, 2);
	return options_configure(&o, &s->c) < 0 ? 2 : -1;
}

/* What would only be found out where packets are missed. 0, or -EINVAL and said. */
static int check_summary(struct sender *s)
{
	struct str list = str_of(s->c.summary_types), item;
	char name[64];
	while (str_take_item(&list, &item))
		if (!str_copy(name, sizeof(name), item) || !collector_find(name)) {
			log_error("[summary] types: unknown type \"" STR_FMT "\"; \"nodometer "
				  "types\" lists them", STR_ARG(item));
			return -EINVAL;
		}
	if (udp_init(&s->udp, str_of(s->c.summary_destination), &item) < 0) {
		log_error("[summary] destination: want HOST:PORT, of IPv6 [ADDRESS]:PORT, %d of "
			  "them at most, not \"" STR_FMT "\"", UDP_DESTINATIONS_MAX,
			  STR_ARG(item));
		return -EINVAL;
	}
	if (s->udp.n == 0) {
		log_error("[summary] destination is not set: there is nothing to do; "
			  "nodometer.conf(5) tells how");
		return -EINVAL;
	}
	s->udp.patience_ms = s->follow.once ? 10000 : 1000;
	return 0;
}

int main(int argc, char **argv)
{
	static struct sender s = { .follow = { .fd = -1, .inotify = -1, .dirfd = -1 } };

	log_open("nodometer-send", LOG_LEVEL_INFO);
	int status = take_options(&s, argc, argv);
	if (status >= 0)
		return status;
	if (check_summary(&s) < 0)
		return 2;
	int r = files_open_root(&s.root, s.c.root);
	if (r < 0) {
		log_error("%s: %s", s.c.root, strerror(-r));
		return 1;
	}
	host_identify(&s.host, &s.root, s.c.hostname);
	s.started = time(NULL);
	s.follow.stop = &stop;
	s.pack.limit = (size_t)s.c.summary_bytes;
	s.pack.send = send_packet;
	s.pack.arg = &s;
	r = run(&s);
	if (r < 0 && r != -EINTR)
		log_error("%s/%s: %s", s.c.dir, s.host.name, strerror(-r));
	status = (r < 0 && r != -EINTR) || (s.follow.once && !udp_all_well(&s.udp));
	follow_close(&s.follow);
	udp_free(&s.udp);
	xml_summary_free(&s.pack);
	mounts_free(&s.mounts);
	files_free(&s.root);
	config_free(&s.c);
	return status;
}
