/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * blast.c - send UDP packets, one from each file in turn, at a fixed rate, for mpxstats.sh
 *
 * In each packet, one value in ten counts up, as in packets of real servers: in captures, 8 of 103
 * values differ from the previous packet.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>
#include "base/str.h"

#define FILES_MAX 64
#define BYTES_MAX 65507
#define CATCH_UP  20000000	/* longest delay that is caught up, in nanoseconds */
#define ONE_IN    10
#define COUNTERS_MAX 64

struct packet {
	char *p;
	size_t n, counters;
	/* index of the last digit of each value that counts up */
	size_t last_digit[COUNTERS_MAX];
};

static int64_t now_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

static void find_counters(struct packet *k)
{
	size_t values = 0;
	for (size_t i = 0; i + 1 < k->n && k->counters < COUNTERS_MAX; i++)
		if (k->p[i] >= '0' && k->p[i] <= '9' && k->p[i + 1] == '<' &&
		    values++ % ONE_IN == 0)
			k->last_digit[k->counters++] = i;
}

static struct packet load(const char *path)
{
	struct packet k = { .p = malloc(BYTES_MAX) };
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = k.p && fd >= 0 ? read(fd, k.p, BYTES_MAX) : -1;
	if (n < 0) {
		perror(path);
		exit(1);
	}
	close(fd);
	k.n = (size_t)n;
	find_counters(&k);
	return k;
}

static void count_up(struct packet *k)
{
	for (size_t i = 0; i < k->counters; i++) {
		char *digit = &k->p[k->last_digit[i]];
		*digit = *digit == '9' ? '0' : (char)(*digit + 1);
	}
}

static uint64_t number(const char *text)
{
	struct str s = str_of(text);
	uint64_t v;
	if (!str_take_u64(&s, &v) || s.n) {
		fprintf(stderr, "no number: %s\n", text);
		exit(2);
	}
	return v;
}

/*
 * Send a packet whenever one is due. Delays of at most CATCH_UP ns are caught up. Returns the
 * number of packets sent.
 */
static uint64_t send_paced(int fd, struct packet *packet, size_t n, uint64_t count, uint64_t rate)
{
	int64_t step = INT64_C(1000000000) / (int64_t)rate, next = now_ns();
	uint64_t sent = 0;
	for (uint64_t i = 0; i < count; i++) {
		struct packet *p = &packet[i % n];
		count_up(p);
		while (now_ns() < next)
			;
		if (send(fd, p->p, p->n, 0) == (ssize_t)p->n)
			sent++;
		next += step;
		if (now_ns() - next > CATCH_UP)
			next = now_ns();
	}
	return sent;
}

/*
 * Usage: blast PORT RATE COUNT FILE...; prints the number of packets sent and the rate per second.
 */
int main(int argc, char **argv)
{
	static struct packet packet[FILES_MAX];
	size_t n = 0;
	if (argc < 5)
		return 2;
	struct sockaddr_in6 to = {
		.sin6_family = AF_INET6, .sin6_port = htons((uint16_t)number(argv[1])),
		.sin6_addr = in6addr_loopback,
	};
	int fd = socket(AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (connect(fd, (struct sockaddr *)&to, sizeof(to)) < 0) {
		perror("::1");
		return 1;
	}
	for (int i = 4; i < argc && n < FILES_MAX; i++)
		packet[n++] = load(argv[i]);
	int64_t began = now_ns();
	uint64_t sent = send_paced(fd, packet, n, number(argv[3]), number(argv[2]));
	printf("%llu %llu\n", (unsigned long long)sent,
	       (unsigned long long)(sent * UINT64_C(1000000000) / (uint64_t)(now_ns() - began)));
	return 0;
}
