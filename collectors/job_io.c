/* SPDX-License-Identifier: BSD-3-Clause */
/* job_io.c - a job's disk I/O, from the counters of each block device for the job's cgroup */
#include "collectors/job_io.h"

#include <stdio.h>
#include <stdlib.h>
#include "base/names.h"
#include "base/vec.h"

#define MINOR_MASK  ((1u << JOB_MAJOR_SHIFT) - 1)
#define BY_NUMBER   "sys/dev/block"

/* a device has JOB_IO_KEYS counters, and its index in job_disks */
enum { DISK_INDEX = JOB_IO_KEYS, PART_WIDTH };

/* Major device numbers: Documentation/admin-guide/devices.txt; ZVOL_MAJOR is the default of ZFS. */
enum { LOOP_MAJOR = 7, DRBD_MAJOR = 147, ZVOL_MAJOR = 230 };

static bool job_io_take_device(struct str *in, unsigned *ret)
{
	struct str s = *in;
	uint64_t major, minor;
	if (!str_take_u64(&s, &major) || !str_take_prefix(&s, STR(":")) ||
	    !str_take_u64(&s, &minor) || (s.n && *s.p != ' ') ||
	    major >= 1u << (32 - JOB_MAJOR_SHIFT) || minor > MINOR_MASK)
		return false;
	*ret = (unsigned)(major << JOB_MAJOR_SHIFT | minor);
	*in = s.n ? str_skip(s, 1) : s;
	return true;
}

static bool job_io_has_device(struct str text)
{
	struct str line;
	unsigned device;
	while (str_take_line(&text, &line))
		if (job_io_take_device(&line, &device))
			return true;
	return false;
}

uint64_t job_io_v1_keys(struct source *s, const char *mount)
{
	char path[512];
	struct str text;
	uint64_t keys = 0;
	for (size_t i = 0; i < JOB_V1_SOURCES; i++) {
		const struct job_source *src = &job_v1[i];
		if (src->how != SUM)
			continue;
		snprintf(path, sizeof(path), "%s/%s/%s", mount, src->controller, src->file);
		if (source_read(s, path, &text) == 0 && job_io_has_device(text))
			keys |= (uint64_t)1 << src->metric;
	}
	return keys;
}

static struct job_part *job_io_find_part(struct job_io_reading *r, size_t likely, unsigned device)
{
	if (likely < r->n && r->part[likely].device == device)
		return &r->part[likely];
	for (size_t i = 0; i < r->n; i++)
		if (r->part[i].device == device)
			return &r->part[i];
	r->is_full |= r->n == JOB_IO_DEVICES_MAX;
	if (r->is_full)
		return NULL;
	r->part = vec_reserve(r->part, &r->cap, r->n + 1, sizeof(*r->part));
	r->part[r->n] = (struct job_part){ .device = device };
	return &r->part[r->n++];
}

void job_io_note(struct job_io_reading *r, size_t likely, struct str head, size_t key, uint64_t v)
{
	unsigned device;
	if (!job_io_take_device(&head, &device))
		/*
		 * "(unknown)" is a path of a multipath NVMe disk: the disk counts the path's I/O,
		 * too
		 */
		return;
	while (job_io_take_device(&head, &device))
		;
	struct job_part *p = job_io_find_part(r, likely, device);
	if (!p)
		return;
	p->value[key] = v;
	p->keys |= 1u << key;
}

void job_io_reading_free(struct job_io_reading *r)
{
	free(r->part);
	*r = (struct job_io_reading){ 0 };
}

/*
 * Count the entries of a directory such as "sys/dev/block/8:0/slaves". Returns -errno on failure.
 */
static int job_disk_list(struct source *s, struct names *n, unsigned device, const char *leaf)
{
	char path[sizeof(BY_NUMBER) + NAME_SIZE + 40];
	snprintf(path, sizeof(path), BY_NUMBER "/%u:%u/%s", device >> JOB_MAJOR_SHIFT,
		 device & MINOR_MASK, leaf);
	int r = names_list(n, &s->files, path, "");
	return r < 0 ? r : (int)n->n;
}

/*
 * Returns true if a device such as dm or md uses the disk or one of its partitions, which are
 * subdirectories of the disk in sysfs.
 */
static bool job_disk_is_held(struct source *s, unsigned device)
{
	struct names parts = { 0 }, holders = { 0 };
	bool held = job_disk_list(s, &holders, device, "holders") > 0;
	if (!held && job_disk_list(s, &parts, device, "") > 0)
		for (size_t i = 0; i < parts.n && !held; i++) {
			char leaf[NAME_SIZE + 10];
			snprintf(leaf, sizeof(leaf), "%s/holders", parts.name[i]);
			held = job_disk_list(s, &holders, device, leaf) > 0;
		}
	names_free(&parts);
	names_free(&holders);
	return held;
}

static unsigned job_disk_places(struct source *s, unsigned device)
{
	struct names n = { 0 };
	unsigned major = device >> JOB_MAJOR_SHIFT, places = 0;
	int slaves = job_disk_list(s, &n, device, "slaves");
	bool is_hidden = job_disk_list(s, &n, device, "") < 0 &&
			 names_list(&n, &s->files, BY_NUMBER, "") == 0;
	names_free(&n);
	/*
	 * a hidden device is a path of a multipath NVMe disk: the disk counts the path's I/O, too
	 */
	if (is_hidden)
		return 0;
	if (major == LOOP_MAJOR || major == DRBD_MAJOR || major == ZVOL_MAJOR)
		return 1 << DISK_GUEST;
	if (slaves <= 0)
		places |= 1 << DISK_LOWEST;
	if (!job_disk_is_held(s, device))
		places |= 1 << DISK_HIGHEST;
	return places;
}

static size_t job_disk_find(struct job_disks *d, unsigned device)
{
	size_t i = 0;
	while (i < d->n && d->disk[i].device != device)
		i++;
	if (i == d->n) {
		d->disk = vec_reserve(d->disk, &d->cap, d->n + 1, sizeof(*d->disk));
		d->disk[d->n++] = (struct job_disk){ .device = device };
	}
	return i;
}

static unsigned job_disk_places_at(struct job_disks *d, struct source *s, size_t i)
{
	struct job_disk *disk = &d->disk[i];
	if (!disk->is_known)
		disk->places = job_disk_places(s, disk->device);
	disk->is_known = true;
	return disk->places;
}

static void job_io_add_part(struct job_io *io, uint64_t *last, const struct job_part *part,
			    unsigned places)
{
	for (size_t k = 0; k < JOB_IO_KEYS; k++) {
		if (!(part->keys >> k & 1))
			continue;
		uint64_t grown = part_growth(&last[k], part->value[k]);
		for (size_t p = 0; p < DISK_PLACES; p++)
			if (places >> p & 1)
				io->sum[p][k] += grown;
	}
}

void job_io_take(struct job_io *io, struct job_disks *disks, struct source *s,
		 const struct job_part *part, size_t n, uint64_t value[JOB_IO_KEYS])
{
	io->part.width = PART_WIDTH;
	for (size_t i = 0; i < n; i++) {
		uint64_t *last = part_table_see(&io->part, part[i].device, i);
		if (!last[DISK_INDEX])
			last[DISK_INDEX] = job_disk_find(disks, part[i].device) + 1;
		job_io_add_part(io, last, &part[i],
				job_disk_places_at(disks, s, last[DISK_INDEX] - 1));
	}
	part_table_forget_unseen(&io->part);
	for (size_t k = 0; k < JOB_IO_KEYS; k++) {
		value[k] = io->sum[0][k];
		for (size_t p = 1; p < DISK_PLACES; p++)
			if (io->sum[p][k] > value[k])
				value[k] = io->sum[p][k];
	}
}

void job_io_free(struct job_io *io)
{
	part_table_free(&io->part);
	*io = (struct job_io){ 0 };
}

void job_disks_look_again(struct job_disks *d)
{
	for (size_t i = 0; i < d->n; i++)
		d->disk[i].is_known = false;
}

void job_disks_free(struct job_disks *d)
{
	free(d->disk);
	*d = (struct job_disks){ 0 };
}
