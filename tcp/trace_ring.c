/* SPDX-License-Identifier: BSD-3-Clause */
/* trace_ring.c - records of perf that the kernel leaves in a ring: perf_event_open(2) */
#include "tracers/tcp/trace_ring.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "base/vec.h"

#define RECORD_MAX (64u << 10)	/* the kernel gives a size in 16 bits */

int trace_ring_open(struct trace_ring *r, int fd)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	void *map = mmap(NULL, page + TRACE_RING_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	if (map == MAP_FAILED)
		return -errno;
	*r = (struct trace_ring){ map, page, xrealloc(NULL, RECORD_MAX) };
	return 0;
}

void trace_ring_close(struct trace_ring *r)
{
	munmap(r->map, r->page + TRACE_RING_BYTES);
	free(r->record);
}

struct sample {
	struct perf_event_header h;
	int64_t at;
	uint32_t n;
	unsigned char data[];
};

struct lost {
	struct perf_event_header h;
	uint64_t id, n;
};

/* A record that stands in one piece. Returns what it says that was lost. */
static uint64_t take_record(struct perf_event_header *h,
			    void (*take)(void *arg, int64_t at, void *data, size_t n), void *arg)
{
	struct sample *s = (struct sample *)h;

	if (h->type == PERF_RECORD_LOST && h->size >= sizeof(struct lost))
		return ((struct lost *)h)->n;
	if (h->type == PERF_RECORD_SAMPLE && h->size >= offsetof(struct sample, data) &&
	    s->n <= h->size - offsetof(struct sample, data))
		take(arg, s->at, s->data, s->n);
	return 0;
}

/* Records are aligned to 8 bytes, so that a header is never split. */
static struct perf_event_header *whole(struct trace_ring *r, unsigned char *ring, size_t at)
{
	struct perf_event_header *h = (struct perf_event_header *)(ring + at);
	size_t first = TRACE_RING_BYTES - at;

	if (h->size <= first)
		return h;
	memcpy(r->record, h, first);
	memcpy(r->record + first, ring, h->size - first);
	return (struct perf_event_header *)r->record;
}

uint64_t trace_ring_take(struct trace_ring *r,
			 void (*take)(void *arg, int64_t at, void *data, size_t n), void *arg)
{
	struct perf_event_mmap_page *page = r->map;
	unsigned char *ring = (unsigned char *)r->map + r->page;
	uint64_t head = __atomic_load_n(&page->data_head, __ATOMIC_ACQUIRE);
	uint64_t tail = page->data_tail, lost = 0;

	while (tail < head) {
		struct perf_event_header *h = whole(r, ring, tail % TRACE_RING_BYTES);
		if (h->size < sizeof(*h))
			break;	/* no kernel writes that: what follows cannot be read */
		uint64_t size = h->size;
		lost += take_record(h, take, arg);
		tail += size;
	}
	__atomic_store_n(&page->data_tail, head, __ATOMIC_RELEASE);
	return lost;
}
