/* SPDX-License-Identifier: BSD-3-Clause */
/* record.c - writes a MONITOR recording, moment by moment */
#include "monitor/record.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/clock.h"
#include "base/files.h"
#include "base/log.h"

#define OUT_MAX (4u << 20)	/* bytes that wait at most */
#define FRAME 2

static int failed(const struct recording *r, int e)
{
	log_error("%s: %s", r->path, strerror(-e));
	return e;
}

static int flush(struct recording *r)
{
	int e = files_write(r->fd, buf_str(&r->out));
	r->out.n = 0;
	r->flushed = monotonic_ns();
	if (e == 0 && fdatasync(r->fd) < 0 && errno != EINVAL && errno != EROFS)
		e = -errno;
	return e < 0 ? failed(r, e) : 0;
}

static int flush_if_due(struct recording *r)
{
	if (r->out.n < OUT_MAX && monotonic_ns() - r->flushed < r->flush * 1000000000)
		return 0;
	return flush(r);
}

int record_open(struct recording *r)
{
	r->flushed = monotonic_ns();
	return ftruncate(r->fd, 0) < 0 && errno != EINVAL ? failed(r, -errno) : 0;
}

static void put(struct recording *r, struct buf *one)
{
	vms_put_framed(&r->out, buf_str(one));
	r->records++;
	one->n = 0;
}

static void put_customer(struct recording *r, const struct vms_node *n)
{
	struct buf one CLEANUP(buf_free) = { 0 };
	if (!r->customer)
		return;
	vms_put_customer(&one, n);
	put(r, &one);
}

/* Before the first moment: ENDING and the count of records say 0, which is "not closed". */
static void begin(struct recording *r, const struct moments *m)
{
	struct buf one CLEANUP(buf_free) = { 0 };
	r->header.beginning = m->moment.stamp;
	str_copy(r->header.ident, sizeof(r->header.ident), STR(VMS_IDENT));
	for (size_t i = 0; i < VMS_CLASSES; i++)
		r->header.revision[i] = (unsigned char)vms_revision(i);
	vms_put_header(&one, &r->header);
	put(r, &one);
	r->begun = true;
}

static void put_files(struct recording *r, const struct moments *m)
{
	struct buf one CLEANUP(buf_free) = { 0 };
	const char *name = m->files.p;
	for (size_t i = 0; i < m->n_files; i++, name += strlen(name) + 1) {
		vms_put_file(&one, str_of(name));
		put(r, &one);
	}
}

static void describe(struct vms_node *n, const struct moments *m)
{
	for (size_t i = 0; i < VMS_CLASSES; i++)
		if (moment_has(&m->moment, i))
			n->absent[i] = m->moment.set[i].absent;
}

static bool same_node(const struct vms_node *a, const struct vms_node *b)
{
	return a && a->boot == b->boot && strcmp(a->host, b->host) == 0 &&
	       strcmp(a->name, b->name) == 0;
}

/* System information of a node that is new here, or was booted; our record where that changes. */
static void put_node(struct recording *r, const struct moments *m)
{
	struct buf one CLEANUP(buf_free) = { 0 };
	uint8_t index = m->moment.index;
	struct vms_node now = { .index = index }, *last = r->node[index];
	if (m->node[index])
		now = *m->node[index];
	now.vector = false;
	if (last) {
		memcpy(now.absent, last->absent, sizeof(now.absent));
		memcpy(now.left_out, last->left_out, sizeof(now.left_out));
	}
	describe(&now, m);
	bool known = same_node(last, &now);
	if (!known) {
		vms_put_node(&one, &now);
		put(r, &one);
	}
	if (!last)
		r->node[index] = last = xrealloc(NULL, sizeof(*last));
	if (!known || last->missed != now.missed ||
	    memcmp(last->absent, now.absent, sizeof(now.absent)) != 0)
		put_customer(r, &now);
	*last = now;
}

/* Elements that the input left out stay left out. */
static void put_set(struct recording *r, const struct vms_set *s, const struct vms_node *from)
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
	put_customer(r, n);
}

int record_moment(struct recording *r, const struct moments *m)
{
	bool first = !r->begun;
	if (first) {
		for (size_t i = 0; i < VMS_CLASSES; i++)
			if (moment_has(&m->moment, i))
				vms_add_class(r->header.classes, i);
		begin(r, m);
	}
	put_node(r, m);
	if (first)
		put_files(r, m);
	for (size_t i = 0; i < VMS_CLASSES; i++)
		if (moment_has(&m->moment, i))
			put_set(r, &m->moment.set[i], m->node[m->moment.index]);
	return first ? flush(r) : flush_if_due(r);
}

int record_gone(struct recording *r, uint8_t index)
{
	struct buf one CLEANUP(buf_free) = { 0 };
	if (!r->node[index])
		return 0;
	vms_put_gone(&one, index);
	put(r, &one);
	free(r->node[index]);
	r->node[index] = NULL;
	return 0;
}

static int fix_header(struct recording *r)
{
	struct buf one CLEANUP(buf_free) = { 0 };
	r->header.records = r->records;
	vms_put_header(&one, &r->header);
	if (pwrite(r->fd, one.p, one.n, FRAME) != (ssize_t)one.n)
		return failed(r, errno ? -errno : -EIO);
	return 0;
}

int record_close(struct recording *r)
{
	int e = r->fd < 0 ? -EBADF : flush(r);
	if (e == 0 && r->begun)
		e = fix_header(r);
	if (e == 0 && !r->begun)
		log_warning("%s: nothing was recorded", r->path);
	if (r->fd >= 0 && close(r->fd) < 0 && e == 0)
		e = failed(r, -errno);
	for (size_t i = 0; i < VMS_NODES_MAX; i++)
		free(r->node[i]);
	buf_free(&r->out);
	return e;
}
