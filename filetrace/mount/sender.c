/* SPDX-License-Identifier: BSD-3-Clause */
/* sender.c - send file accesses to a receiver of XRootD's detailed monitoring */
#include "filetrace/mount/sender.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>
#include "base/clock.h"
#include "base/files.h"
#include "base/system/host_port.h"

#define NS_PER_SECOND      ((int64_t)1000000000)
#define GATHER_MS   50			/* how long to wait for more datagrams, in milliseconds */
#define FLUSH_S     5			/* seconds between datagrams of the f-stream */
/* seconds between two reports of the bytes so far, which include the record "=" */
#define REPORT_S    60
#define WAITING_BYTES_MAX (8u << 20)

static uint32_t sender_now_s(void)
{
	return (uint32_t)(clock_ns(CLOCK_REALTIME) / 1000000000);
}

/* Queue a datagram. The caller holds the lock. */
static void sender_queue(void *arg, struct str datagram)
{
	struct xrootd_sender *s = arg;
	if (s->waiting.n + datagram.n > WAITING_BYTES_MAX) {
		s->lost++;
		return;
	}
	buf_add(&s->waiting, (struct str){ (const char *)&datagram.n, sizeof(datagram.n) });
	buf_add(&s->waiting, datagram);
}

/*
 * Send a datagram. send(2) may return the error of an earlier datagram (ICMP port unreachable); it
 * has then not sent the given datagram: try once more.
 */
static bool sender_send_one(const struct xrootd_sender *s, struct str datagram, int *error)
{
	for (unsigned i = 0; i < 2; i++) {
		if (send(s->fd, datagram.p, datagram.n, MSG_NOSIGNAL) >= 0)
			return true;
		*error = -errno;
	}
	return false;
}

/* Send all datagrams in text. The caller must not hold the lock. */
static void sender_send_all(struct xrootd_sender *s, struct str text)
{
	int error = 0;
	while (text.n) {
		size_t n;
		memcpy(&n, text.p, sizeof(n));
		text = str_skip(text, sizeof(n));
		if (sender_send_one(s, (struct str){ text.p, n }, &error))
			s->sent++;
		else
			s->lost++;
		text = str_skip(text, n);
	}
	if (error && !s->refused)
		s->failed(error);
	s->refused = s->refused || error;
}

static bool sender_is_process_alive(uint32_t pid)
{
	return pid && (kill((pid_t)pid, 0) == 0 || errno != ESRCH);
}

/* Send the collected records, and with `report` also the bytes so far of open files. */
static void sender_flush(struct xrootd_sender *s, bool report)
{
	uint32_t now = sender_now_s();
	if (report) {
		accesses_identify(&s->of);
		accesses_report(&s->of, now);
	}
	accesses_forget_ended(&s->of, sender_is_process_alive, now);
	accesses_flush(&s->of, now);
}

static void sender_wait(struct xrootd_sender *s)
{
	struct timespec until = clock_after_ms(GATHER_MS);
	if (!s->ending)
		pthread_cond_timedwait(&s->ending_too, &s->lock, &until);
}

static void *sender_run(void *arg)
{
	struct xrootd_sender *s = arg;
	struct buf text = { 0 };
	int64_t flushed = monotonic_ns(), reported = flushed;
	bool last = false;
	pthread_mutex_lock(&s->lock);
	while (!last) {
		sender_wait(s);
		last = s->ending;
		int64_t now = monotonic_ns();
		if (last || now - flushed >= FLUSH_S * NS_PER_SECOND) {
			bool report = now - reported >= REPORT_S * NS_PER_SECOND;
			sender_flush(s, report);
			flushed = now;
			reported = report ? now : reported;
		}
		struct buf full = s->waiting;
		s->waiting = text;
		text = full;
		pthread_mutex_unlock(&s->lock);
		sender_send_all(s, buf_str(&text));
		text.n = 0;
		pthread_mutex_lock(&s->lock);
	}
	pthread_mutex_unlock(&s->lock);
	buf_free(&text);
	return NULL;
}

/*
 * Open a socket connected to `where`. All datagrams then come from one port, so that the receiver
 * sees one server, and the kernel reports refused datagrams.
 */
static int sender_connect(const char *where, const char **why)
{
	struct sockaddr_in6 to;
	int r = host_port_resolve(where, &to, why);
	if (r < 0)
		return r;
	int fd = socket(AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd >= 0 && connect(fd, (const struct sockaddr *)&to, sizeof(to)) == 0)
		return fd;
	r = -errno;
	*why = strerror(errno);
	close_fd(&fd);
	return r;
}

static int sender_start_thread(struct xrootd_sender *s)
{
	sigset_t all, before;
	sigfillset(&all);
	/* block all signals in the new thread: the main thread handles them */
	pthread_sigmask(SIG_SETMASK, &all, &before);
	int e = pthread_create(&s->thread, NULL, sender_run, s);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return -e;
}

int sender_start(struct xrootd_sender *s, const char *where, void (*failed)(int error),
		 const char **why)
{
	char host[256] = "";
	int fd = sender_connect(where, why);
	if (fd < 0)
		return fd;
	if (gethostname(host, sizeof(host) - 1) < 0 || !*host)
		(void)str_copy(host, sizeof(host), STR("localhost"));
	*s = (struct xrootd_sender){ .fd = fd, .failed = failed };
	accesses_init(&s->of, host, (uint32_t)getpid(), sender_now_s());
	s->of.send = sender_queue;
	s->of.arg = s;
	pthread_mutex_init(&s->lock, NULL);
	pthread_cond_init(&s->ending_too, NULL);
	accesses_identify(&s->of);
	int r = sender_start_thread(s);
	*why = strerror(-r);
	return r;
}

void sender_opened(struct xrootd_sender *s, struct handle *h, const struct event *e)
{
	pthread_mutex_lock(&s->lock);
	h->access = access_open(&s->of, e, (int64_t)e->size, sender_now_s());
	pthread_mutex_unlock(&s->lock);
}

void sender_read(struct xrootd_sender *s, const struct handle *h, uint64_t bytes)
{
	if (!h->access)
		return;
	pthread_mutex_lock(&s->lock);
	access_read(h->access, bytes);
	pthread_mutex_unlock(&s->lock);
}

void sender_written(struct xrootd_sender *s, const struct handle *h, uint64_t bytes)
{
	if (!h->access)
		return;
	pthread_mutex_lock(&s->lock);
	access_written(h->access, bytes);
	pthread_mutex_unlock(&s->lock);
}

void sender_closed(struct xrootd_sender *s, struct handle *h)
{
	if (!h->access)
		return;
	pthread_mutex_lock(&s->lock);
	access_close(&s->of, h->access, sender_now_s());
	h->access = NULL;
	pthread_mutex_unlock(&s->lock);
}

void sender_end(struct xrootd_sender *s)
{
	pthread_mutex_lock(&s->lock);
	s->ending = true;
	pthread_cond_signal(&s->ending_too);
	pthread_mutex_unlock(&s->lock);
	pthread_join(s->thread, NULL);
	close_fd(&s->fd);
	accesses_free(&s->of);
	buf_free(&s->waiting);
	pthread_cond_destroy(&s->ending_too);
	pthread_mutex_destroy(&s->lock);
}
