/* SPDX-License-Identifier: BSD-3-Clause */
/* record.c - write a MONITOR recording */
#include "openvms/record.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/clock.h"
#include "base/files.h"
#include "base/log.h"

/* number of buffered bytes at which they are written to the file */
#define OUT_MAX_BYTES (4u << 20)
#define FRAME 2			/* bytes of the length field before each record */
/* a stamp is a number of 100 ns ticks */
#define STAMPS_PER_SECOND 10000000
#define STEPS_MAX 4096		/* limit of the times between samples that are measured */

static int record_log_error(const struct recording *r, int e)
{
	log_error("%s: %s", r->path, strerror(-e));
	return e;
}

static int record_flush(struct recording *r)
{
	int e = files_write(r->fd, buf_str(&r->out));
	r->out.n = 0;
	r->flushed = monotonic_ns();
	if (e == 0 && fdatasync(r->fd) < 0 && errno != EINVAL && errno != EROFS)
		e = -errno;
	return e < 0 ? record_log_error(r, e) : 0;
}

static int record_flush_if_due(struct recording *r)
{
	if (r->out.n < OUT_MAX_BYTES && monotonic_ns() - r->flushed < r->flush * 1000000000)
		return 0;
	return record_flush(r);
}

int record_open(struct recording *r)
{
	r->flushed = monotonic_ns();
	return ftruncate(r->fd, 0) < 0 && errno != EINVAL ? record_log_error(r, -errno) : 0;
}

static void record_put(struct recording *r, struct buf *one)
{
	vms_put_framed(&r->out, buf_str(one));
	r->records++;
	one->n = 0;
}

static void record_put_customer(struct recording *r, const struct vms_node *n)
{
	struct buf one CLEANUP(buf_free) = { 0 };
	if (!r->customer)
		return;
	vms_put_customer(&one, n);
	record_put(r, &one);
}

/*
 * Write the file header. The end time and the number of records are 0 until the recording is
 * closed.
 */
static void record_put_header(struct recording *r, const struct moments *m)
{
	struct buf one CLEANUP(buf_free) = { 0 };
	r->header.beginning = m->moment.stamp;
	str_copy(r->header.ident, sizeof(r->header.ident), STR(VMS_IDENT));
	for (size_t i = 0; i < VMS_CLASSES; i++)
		r->header.revision[i] = (unsigned char)vms_revision(i);
	vms_put_header(&one, &r->header);
	record_put(r, &one);
	r->begun = true;
}

static void record_put_files(struct recording *r, const struct moments *m)
{
	struct buf one CLEANUP(buf_free) = { 0 };
	const char *name = m->files.p;
	for (size_t i = 0; i < m->n_files; i++, name += strlen(name) + 1) {
		vms_put_file(&one, str_of(name));
		record_put(r, &one);
	}
}

static void record_copy_absent(struct vms_node *n, const struct moments *m)
{
	for (size_t i = 0; i < VMS_CLASSES; i++)
		if (moment_has(&m->moment, i))
			n->absent[i] = m->moment.set[i].absent;
}

static bool record_is_same_node(const struct vms_node *a, const struct vms_node *b)
{
	return a && a->boot == b->boot && strcmp(a->host, b->host) == 0 &&
	       strcmp(a->name, b->name) == 0;
}

/*
 * Write a node's system information record if the node is new or was rebooted, and its customer
 * record if the contents of that record changed.
 */
static void record_put_node(struct recording *r, const struct moments *m)
{
	struct buf one CLEANUP(buf_free) = { 0 };
	uint8_t index = m->moment.index;
	struct vms_node now = { .index = index }, *last = r->node[index];
	if (m->node[index])
		now = *m->node[index];
	now.vector = false;
	if (last && strcmp(last->name, now.name) == 0) {
		memcpy(now.absent, last->absent, sizeof(now.absent));
		memcpy(now.left_out, last->left_out, sizeof(now.left_out));
	}
	record_copy_absent(&now, m);
	bool known = record_is_same_node(last, &now);
	if (!known) {
		vms_put_node(&one, &now);
		record_put(r, &one);
	}
	if (!last)
		r->node[index] = last = xrealloc(NULL, sizeof(*last));
	if (!known || last->missed != now.missed || last->utc_offset != now.utc_offset ||
	    memcmp(last->absent, now.absent, sizeof(now.absent)) != 0)
		record_put_customer(r, &now);
	*last = now;
}

/*
 * Write the data of a class. If the number of its left-out elements changed, also write the
 * customer record.
 */
static void record_put_set(struct recording *r, const struct vms_set *s,
			   const struct vms_node *from)
{
	uint32_t left_out;
	struct vms_node *n = r->node[s->index];
	r->records += (uint32_t)vms_put_set(&r->out, s, &left_out);
	vms_add_class(r->header.classes, s->number);
	if (s->stamp > r->header.ending)
		r->header.ending = s->stamp;
	left_out += from ? from->left_out[s->number] : 0;
	if (left_out == n->left_out[s->number])
		return;
	if (!n->left_out[s->number])
		log_notice("%s: class %s: %u elements more than a record holds are left out",
			   r->path, vms_classes[s->number].name, left_out);
	n->left_out[s->number] = left_out;
	record_put_customer(r, n);
}

/* Append the seconds between the last two samples to .step, only for the first recorded node. */
static void record_measure(struct recording *r, const struct monitor_moment *m)
{
	int64_t step = (m->stamp - r->last + STAMPS_PER_SECOND / 2) / STAMPS_PER_SECOND;
	if (!r->measure || r->n_steps == STEPS_MAX || (r->begun && m->index != r->measured))
		return;
	if (r->begun && m->stamp > r->last) {
		r->step = vec_reserve(r->step, &r->cap_steps, r->n_steps + 1, sizeof(*r->step));
		r->step[r->n_steps++] = step < 1 ? 1 : step < UINT32_MAX ? (uint32_t)step :
								     UINT32_MAX;
	}
	r->measured = m->index;
	r->last = m->stamp;
}

static int record_compare_steps(const void *a, const void *b)
{
	const uint32_t *x = a, *y = b;
	return (*x > *y) - (*x < *y);
}

/*
 * Set the recording's interval to the most frequent time between samples. Some times are shorter,
 * because extra samples are taken at the start and end of jobs.
 */
static void record_set_interval(struct recording *r)
{
	size_t most = 0, same = 0;
	if (r->n_steps)
		qsort(r->step, r->n_steps, sizeof(*r->step), record_compare_steps);
	for (size_t i = 0; i < r->n_steps; i++) {
		same = i && r->step[i] == r->step[i - 1] ? same + 1 : 1;
		if (same < most)
			continue;
		most = same;
		r->header.interval = r->step[i];
	}
}

int record_moment(struct recording *r, const struct moments *m)
{
	bool first = !r->begun;
	record_measure(r, &m->moment);
	if (first) {
		for (size_t i = 0; i < VMS_CLASSES; i++)
			if (moment_has(&m->moment, i))
				vms_add_class(r->header.classes, i);
		record_put_header(r, m);
	}
	record_put_node(r, m);
	if (first)
		record_put_files(r, m);
	for (size_t i = 0; i < VMS_CLASSES; i++)
		if (moment_has(&m->moment, i))
			record_put_set(r, &m->moment.set[i], m->node[m->moment.index]);
	return first ? record_flush(r) : record_flush_if_due(r);
}

int record_gone(struct recording *r, uint8_t index)
{
	struct buf one CLEANUP(buf_free) = { 0 };
	if (!r->node[index])
		return 0;
	vms_put_gone(&one, index);
	record_put(r, &one);
	free(r->node[index]);
	r->node[index] = NULL;
	return 0;
}

static int record_rewrite_header(struct recording *r)
{
	struct buf one CLEANUP(buf_free) = { 0 };
	r->header.records = r->records;
	record_set_interval(r);
	vms_put_header(&one, &r->header);
	if (pwrite(r->fd, one.p, one.n, FRAME) != (ssize_t)one.n)
		return record_log_error(r, errno ? -errno : -EIO);
	return 0;
}

int record_close(struct recording *r)
{
	int e = r->fd < 0 ? -EBADF : record_flush(r);
	if (e == 0 && r->begun)
		e = record_rewrite_header(r);
	if (e == 0 && !r->begun)
		log_warning("%s: nothing was recorded", r->path);
	if (r->fd >= 0 && close(r->fd) < 0 && e == 0)
		e = record_log_error(r, -errno);
	for (size_t i = 0; i < VMS_NODES_MAX; i++)
		free(r->node[i]);
	buf_free(&r->out);
	free(r->step);
	return e;
}
