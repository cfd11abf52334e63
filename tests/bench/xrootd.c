/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * xrootd.c - make an f-stream of many files, and measure how fast the decoder and a program read it
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/files.h"
#include "formats/xrootd/xrdstream.h"

#define START    1800000000u
#define AT_ONCE  48		/* records in a datagram of about 7 KB, as a busy server sends */
/* bytes before each datagram in the file; see --read in nodometer-xrootd(1) */
#define HEAD     24
#define USERID   "xroot/user%06u.%u:123456789012345@worker-%04u.cluster.example.org"

struct stream {
	struct buf datagram;
	uint64_t usec;
	uint8_t map_seq, f_seq;
	unsigned n;			/* number of records in the datagram */
	struct xrd_packet packet;
};

static void put_datagram(struct stream *s, struct str d)
{
	struct buf head CLEANUP(buf_free) = { 0 };
	wire_put(&head, s->usec, 8);
	wire_put(&head, 0x0a000001, 4);
	wire_put(&head, 1094, 2);
	wire_put(&head, 9930, 2);
	wire_put(&head, d.n, 4);
	wire_put(&head, 0, 4);
	fwrite(head.p, 1, head.n, stdout);
	fwrite(d.p, 1, d.n, stdout);
	s->usec += 100;
}

static void put_map(struct stream *s, char code, uint32_t id, struct str text)
{
	const struct xrd_packet p = { .code = code, .seq = s->map_seq++, .start = START };
	struct buf b CLEANUP(buf_free) = { 0 };
	xrd_begin(&b, &p);
	xrd_put(&b, &p, &(struct xrd_record){ .kind = XRD_MAP, .id = id, .text = text });
	if (xrd_end(&b, &p) == 0)
		put_datagram(s, buf_str(&b));
}

static void put_rest(struct stream *s)
{
	if (s->n && xrd_end(&s->datagram, &s->packet) == 0)
		put_datagram(s, buf_str(&s->datagram));
	s->datagram.n = s->n = 0;
}

static void put_record(struct stream *s, const struct xrd_record *r)
{
	if (s->n == 0) {
		uint32_t now = (uint32_t)(s->usec / 1000000);
		s->packet = (struct xrd_packet){
			.code = 'f', .seq = s->f_seq++, .start = START, .has_sid = true,
			.sid = 123456789012345, .begin = now, .end = now + 5,
		};
		xrd_begin(&s->datagram, &s->packet);
	}
	xrd_put(&s->datagram, &s->packet, r);
	if (++s->n == AT_ONCE)
		put_rest(s);
}

/*
 * Write the open of a file, with numbers that no other file has. With own_user, every file also has
 * its own user, which needs the most memory; otherwise 1,000 files share a user.
 */
static void put_open(struct stream *s, uint32_t i, bool own_user)
{
	uint32_t user = own_user ? 2 * i + 1 : 1 + 2 * (i / 1000);
	char text[400];
	snprintf(text, sizeof(text), USERID "\n&p=gsi&n=/DC=org/DC=example/CN=User %u&h=[::1]&o=cms"
		 "&r=production&g=&m=&x=cmsRun&y=&I=6", user, user, user % 5000, user);
	if (own_user || i % 1000 == 0)
		put_map(s, 'u', user, str_of(text));
	snprintf(text, sizeof(text), USERID "\n/store/data/Run2026A/MinimumBias/RAW/v1/%08x.root",
		 user, user, user % 5000, i);
	char *path = strchr(text, '\n') + 1;
	if (own_user)
		put_map(s, 'd', 2 * i + 2, str_of(text));
	put_record(s, &(struct xrd_record){
		.kind = XRD_OPEN, .flags = XRD_HAS_LFN, .id = 2 * i + 2, .user = user,
		.size = 4000000000 + i, .text = str_of(path) });
}

static void put_close(struct stream *s, uint32_t i)
{
	struct xrd_record r = { .kind = XRD_XFR, .id = 2 * i + 2, .read = 1000000, .readv = i };
	put_record(s, &r);
	r.kind = XRD_CLOSE;
	r.flags = XRD_HAS_OPS | XRD_HAS_SSQ;
	r.read = 20000000 + i;
	r.ops = (struct xrd_ops){ 20, 7, 0, 2, 40, 100, 4096, 1048576, 8192, 524288, 0, 0 };
	r.ssq = (struct xrd_ssq){ 2.1e13 + i, 3.3e9, 2222, 0 };
	put_record(s, &r);
}

/*
 * Write opens and closes of files. Normally 1,000 files are open at a time; with all_open, all
 * files.
 */
static int make(uint32_t files, bool all_open)
{
	struct stream s = { .usec = (START + 100) * UINT64_C(1000000) };
	const uint32_t open = 1000;
	fputs("XDGRAM1\n", stdout);
	put_map(&s, '=', 0, STR("=/xroot.4242:123456789012345@server.example.org\n"
				"&site=EXAMPLE&port=1094&inst=anon&pgm=xrootd&ver=v5.6.9"));
	for (uint32_t i = 0; i < files; i++) {
		put_open(&s, i, all_open);
		if (!all_open && i >= open)
			put_close(&s, i - open);
	}
	put_rest(&s);
	buf_free(&s.datagram);
	return fflush(stdout) != 0;
}

static uint64_t cpu_us(const struct rusage *u)
{
	return (uint64_t)(u->ru_utime.tv_sec + u->ru_stime.tv_sec) * 1000000 +
	       (uint64_t)(u->ru_utime.tv_usec + u->ru_stime.tv_usec);
}

static size_t decode_all(struct str in)
{
	struct xrd_packet p;
	struct xrd_record r;
	size_t n = 0;
	while (in.n > HEAD) {
		struct wire w = wire_of(str_skip(in, HEAD - 8));
		size_t size = wire_u32(&w);
		struct str d = { in.p + HEAD, size };
		if (xrd_open(d, &p) == 0)
			while (xrd_next(&p, &r) > 0)
				n += p.code == 'f';
		in = str_skip(in, HEAD + size);
	}
	return n;
}

/*
 * Decode an f-stream five times. Print the number of its records, and the records per CPU second of
 * the fastest time.
 */
static int decode(const char *path)
{
	struct buf b CLEANUP(buf_free) = { 0 };
	struct rusage before, after;
	uint64_t best = UINT64_MAX;
	size_t n = 0;
	int fd CLEANUP(close_fd) = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t got;
	do {
		buf_reserve(&b, 1 << 20);
		got = fd < 0 ? -1 : read(fd, b.p + b.n, 1 << 20);
		b.n += got > 0 ? (size_t)got : 0;
	} while (got > 0);
	if (got < 0 || b.n < 8) {
		perror(path);
		return 1;
	}
	for (int i = 0; i < 5; i++) {
		getrusage(RUSAGE_SELF, &before);
		n = decode_all(str_skip(buf_str(&b), 8));
		getrusage(RUSAGE_SELF, &after);
		uint64_t us = cpu_us(&after) - cpu_us(&before);
		best = us < best ? us : best;
	}
	printf("%zu %" PRIu64 "\n", n, n * 1000000 / (best ? best : 1));
	return 0;
}

/* Run a command. Print its CPU time in microseconds and its peak of memory in MB. */
static int run(char **argv)
{
	struct rusage u;
	int status = 0;
	pid_t pid = fork();
	if (pid == 0) {
		int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
		if (null >= 0)
			dup2(null, STDOUT_FILENO);
		execvp(argv[0], argv);
		perror(argv[0]);
		_exit(127);
	}
	if (pid < 0 || wait4(pid, &status, 0, &u) < 0 || status != 0)
		return 1;
	printf("%" PRIu64 " %ld\n", cpu_us(&u), u.ru_maxrss / 1024);
	return 0;
}

static uint32_t count(const char *text)
{
	struct str s = str_of(text);
	uint64_t v;
	return str_take_u64(&s, &v) && !s.n && v < 100000000 ? (uint32_t)v : 0;
}

/* Usage: xrootd make FILES | open FILES | decode PATH | run COMMAND... */
int main(int argc, char **argv)
{
	if (argc > 2 && strcmp(argv[1], "make") == 0)
		return make(count(argv[2]), false);
	if (argc > 2 && strcmp(argv[1], "open") == 0)
		return make(count(argv[2]), true);
	if (argc > 2 && strcmp(argv[1], "decode") == 0)
		return decode(argv[2]);
	return argc > 2 && strcmp(argv[1], "run") == 0 ? run(argv + 2) : 2;
}
