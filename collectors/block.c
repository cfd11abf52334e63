/* SPDX-License-Identifier: BSD-3-Clause */
/* block - input and output of each disk, from /sys/block */
#include "collectors/collector.h"

#include <fcntl.h>
#include <fnmatch.h>
#include <stdio.h>
#include <string.h>
#include "base/names.h"
#include "collectors/source.h"
#include "schema/below.h"

#define BLOCK "sys/block"

static bool block_file_exists(const struct source *s, const char *disk, const char *name)
{
	char path[sizeof(BLOCK) + 2 * NAME_SIZE + 2];
	snprintf(path, sizeof(path), BLOCK "/%s/%s", disk, name);
	int fd CLEANUP(close_fd) = files_open(&s->files, path, O_RDONLY);
	return fd >= 0;
}

/*
 * Record in the file header that this partition is part of its disk. A disk has a subdirectory for
 * each partition, such as "sda/sda3".
 */
static void block_add_partition(struct source *s, const struct names *disks, const char *name)
{
	if (rows_has_below(&s->rows, str_of(name)))
		return;
	for (size_t i = 0; i < disks->n; i++) {
		const char *disk = disks->name[i];
		if (str_eq(str_of(disk), str_of(name)))
			return;
		if (str_starts(str_of(name), str_of(disk)) && block_file_exists(s, disk, name)) {
			rows_stands_on(&s->rows, str_of(name), str_of(disk), false);
			return;
		}
	}
}

/*
 * Record in the file header which disks a dm, md or bcache device uses (block/holder.c). Sets
 * *known if the device has a directory slaves/, where the kernel lists these disks. Returns true if
 * the list has a disk.
 */
static bool block_add_slaves(struct source *s, const struct names *disks, const char *disk,
			     bool *known)
{
	char path[sizeof(BLOCK) + NAME_SIZE + 8];
	struct names slaves = { 0 };
	snprintf(path, sizeof(path), BLOCK "/%s/slaves", disk);
	bool is_there = names_list(&slaves, &s->files, path, "") == 0, any = slaves.n > 0;
	*known |= is_there;
	for (size_t i = 0; any && i < slaves.n; i++)
		rows_stands_on(&s->rows, str_of(disk), str_of(slaves.name[i]), false);
	for (size_t i = 0; any && i < slaves.n; i++)
		block_add_partition(s, disks, slaves.name[i]);
	names_free(&slaves);
	return any;
}

/*
 * Record in the file header the paths of a multipath NVMe disk. Each path counts the I/O that it
 * carries. The disk counts the same I/O again or, since Linux 6.1, may count nothing.
 */
static void block_add_paths(struct source *s, const struct names *disks, const char *disk)
{
	char of[64];
	for (size_t i = 0; i < disks->n; i++) {
		struct str path = str_of(disks->name[i]);
		if (below_nvme_path(path, of) && str_eq(str_of(of), str_of(disk)))
			rows_stands_on(&s->rows, str_of(disk), path, false);
	}
}

/*
 * Returns true if the device may use disks that the kernel does not list: loop, ZFS and drbd
 * devices.
 */
static bool block_has_unknown_disks(const struct source *s, const char *disk)
{
	if (fnmatch("loop*", disk, 0) == 0)
		/* only a loop device in use has this directory */
		return block_file_exists(s, disk, "loop");
	return fnmatch("zd[0-9]*", disk, 0) == 0 || fnmatch("drbd[0-9]*", disk, 0) == 0;
}

static void block_add_all_disks(struct source *s, const struct names *disks, const char *disk)
{
	for (size_t i = 0; i < disks->n; i++)
		if (block_file_exists(s, disks->name[i], "device"))
			rows_stands_on(&s->rows, str_of(disk), str_of(disks->name[i]), false);
}

/*
 * Record in the file header which block devices each device uses, so that I/O is not counted twice:
 * see rows_below().
 */
static void block_below(struct source *s)
{
	struct names disks = { 0 };
	bool known = false;
	if (names_list(&disks, &s->files, BLOCK, "") == 0 && disks.n)
		rows_below(&s->rows);
	for (size_t i = 0; i < disks.n; i++) {
		const char *disk = disks.name[i];
		if (block_add_slaves(s, &disks, disk, &known))
			continue;
		block_add_paths(s, &disks, disk);
		if (block_has_unknown_disks(s, disk))
			block_add_all_disks(s, &disks, disk);
	}
	if (!known)
		rows_below_unknown(&s->rows);
	names_free(&disks);
}

static bool is_disk(const char *name)
{
	return strncmp(name, "ram", 3) != 0 && strncmp(name, "loop", 4) != 0;
}

static void collect_disk(struct source *s, const char *name)
{
	struct str text;
	uint64_t v;
	size_t i = 0;
	if (source_read_in(s, "sys/block", name, "stat", &text) < 0)
		return;		/* this disk has gone; the other disks are still read */

	struct row row = rows_add(&s->rows, str_of(name));
	for (; i < s->rows.n_metrics && str_take_u64(&text, &v); i++)
		row_set(row, i, v);
	if (i < s->rows.n_metrics)
		rows_drop(&s->rows);
}

static int block_collect(struct source *s)
{
	int n = source_devices_if(s, BLOCK, "", is_disk);
	if (n < 0)
		return n;

	for (int i = 0; i < n; i++)
		collect_disk(s, source_device_name(s, (size_t)i));
	if (s->rows.n && s->rescan)
		block_below(s);
	return s->rows.n ? 0 : source_absent(s, "/sys/block has no disk with a stat file");
}

const struct collector block_collector = {
	.type    = &block_type,
	.collect = block_collect,
};
