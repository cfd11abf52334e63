/* SPDX-License-Identifier: BSD-3-Clause */
/* trace_ring.c - read perf records from a ring buffer that the kernel fills */
#include "tcp/trace_ring.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "base/vec.h"

/* size of the largest record, in bytes: perf_event_header.size has 16 bits */
#define RECORD_BYTES_MAX (64u << 10)

int trace_ring_open(struct trace_ring *r, int fd)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	void *map = mmap(NULL, page + TRACE_RING_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	if (map == MAP_FAILED)
		return -errno;
	*r = (struct trace_ring){ map, page, xrealloc(NULL, RECORD_BYTES_MAX) };
	return 0;
}

void trace_ring_close(struct trace_ring *r)
{
	munmap(r->map, r->page + TRACE_RING_BYTES);
	free(r->record);
}

struct perf_sample {
	struct perf_event_header h;
	int64_t at;
	uint32_t n;
	unsigned char data[];
};

struct perf_lost {
	struct perf_event_header h;
	uint64_t id, n;
};

/*
 * Pass a record to `take` if it is a sample. Returns the number of lost events if it reports a
 * loss, else 0.
 */
static uint64_t ring_pass_record(struct perf_event_header *h,
				 void (*take)(void *arg, int64_t at, void *data, size_t n),
				 void *arg)
{
	struct perf_sample *s = (struct perf_sample *)h;

	if (h->type == PERF_RECORD_LOST && h->size >= sizeof(struct perf_lost))
		return ((struct perf_lost *)h)->n;
	if (h->type == PERF_RECORD_SAMPLE && h->size >= offsetof(struct perf_sample, data) &&
	    s->n <= h->size - offsetof(struct perf_sample, data))
		take(arg, s->at, s->data, s->n);
	return 0;
}

/*
 * Return the record at offset `at` as contiguous memory: copy it to .record if it wraps around the
 * end of the ring. Headers never wrap, because records are aligned to 8 bytes.
 */
static struct perf_event_header *ring_contiguous_record(struct trace_ring *r, unsigned char *ring,
							size_t at)
{
	struct perf_event_header *h = (struct perf_event_header *)(ring + at);
	size_t first = TRACE_RING_BYTES - at;

	if (h->size <= first)
		return h;
	memcpy(r->record, h, first);
	memcpy(r->record + first, ring, h->size - first);
	return (struct perf_event_header *)r->record;
}

uint64_t trace_ring_read(struct trace_ring *r,
			 void (*take)(void *arg, int64_t at, void *data, size_t n), void *arg)
{
	struct perf_event_mmap_page *page = r->map;
	unsigned char *ring = (unsigned char *)r->map + r->page;
	uint64_t head = __atomic_load_n(&page->data_head, __ATOMIC_ACQUIRE);
	uint64_t tail = page->data_tail, lost = 0;

	while (tail < head) {
		struct perf_event_header *h = ring_contiguous_record(r, ring,
								     tail % TRACE_RING_BYTES);
		if (h->size < sizeof(*h))
			/* invalid record: drop the rest of the ring */
			break;
		uint64_t size = h->size;
		lost += ring_pass_record(h, take, arg);
		tail += size;
	}
	__atomic_store_n(&page->data_tail, head, __ATOMIC_RELEASE);
	return lost;
}
