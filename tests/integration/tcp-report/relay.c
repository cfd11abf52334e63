/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * relay.c - act as a network path with a delay and losses, through a tun device: relay DEVICE
 *
 * Each packet returns with its addresses exchanged, so that 10.9.0.2 is this system as seen from
 * the far end of the path; checksums stay right. The last decimal digit d of the listener's port
 * selects the delay: 5 ms + d * 3 ms. The two digits before it are the losses of data segments, in
 * thousandths.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/if.h>
#include <linux/if_tun.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#define DELAYS 10
#define QUEUE  8192
#define BYTES  1600

struct packet {
	int64_t due;
	ssize_t n;
	unsigned char p[BYTES];
};

static struct queue {
	struct packet packet[QUEUE];
	size_t first, n;
} queues[DELAYS];
static uint64_t state = 88172645463325252u;

/* Xorshift generator: each run loses different segments, in the same proportion. */
static unsigned draw(unsigned below)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (unsigned)(state >> 33) % below;
}

static int64_t now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ll + t.tv_nsec;
}

static unsigned half(const unsigned char *p)
{
	return (unsigned)p[0] << 8 | p[1];
}

static void take(const unsigned char *p, ssize_t n)
{
	size_t ip = (size_t)(p[0] & 15) * 4;
	if (n < 40 || n > BYTES || p[0] >> 4 != 4 || p[9] != 6 || n < (ssize_t)ip + 20)
		return;
	unsigned from = half(p + ip), to = half(p + ip + 2), port = from < to ? from : to;
	unsigned data = half(p + 2) - (unsigned)ip - (unsigned)(p[ip + 12] >> 4) * 4;
	struct queue *q = &queues[port % DELAYS];
	if (q->n == QUEUE || (data && draw(1000) < port / 10 % 100))
		return;
	struct packet *k = &q->packet[(q->first + q->n++) % QUEUE];
	memcpy(k->p, p, (size_t)n);
	memcpy(k->p + 12, p + 16, 4);
	memcpy(k->p + 16, p + 12, 4);
	k->n = n;
	/* each direction has half of the delay */
	k->due = now() + (int64_t)(5 + 3 * (port % DELAYS)) * 500000;
}

/* Send every packet that is due. Returns the milliseconds until the next packet is due, or -1. */
static int send_due(int fd)
{
	int64_t t = now(), next = INT64_MAX;
	for (size_t i = 0; i < DELAYS; i++) {
		struct queue *q = &queues[i];
		for (; q->n && q->packet[q->first].due <= t; q->n--) {
			struct packet *k = &q->packet[q->first];
			if (write(fd, k->p, (size_t)k->n) < 0 && errno != EIO)
				perror("tun");
			q->first = (q->first + 1) % QUEUE;
		}
		if (q->n && q->packet[q->first].due < next)
			next = q->packet[q->first].due;
	}
	return next == INT64_MAX ? -1 : (int)((next - t) / 1000000) + 1;
}

int main(int argc, char **argv)
{
	unsigned char bytes[BYTES + 1];
	struct ifreq r = { .ifr_flags = IFF_TUN | IFF_NO_PI };
	int fd = open("/dev/net/tun", O_RDWR | O_NONBLOCK);

	state ^= (uint64_t)now();
	if (argc != 2 || strlen(argv[1]) >= sizeof(r.ifr_name))
		return 2;
	memcpy(r.ifr_name, argv[1], strlen(argv[1]) + 1);
	if (fd < 0 || ioctl(fd, TUNSETIFF, &r) < 0) {
		perror("/dev/net/tun");
		return 77;
	}
	for (struct pollfd p = { fd, POLLIN, 0 };;) {
		if (poll(&p, 1, send_due(fd)) < 0)
			return 1;
		for (ssize_t n; (n = read(fd, bytes, sizeof(bytes))) > 0; )
			take(bytes, n);
	}
}
