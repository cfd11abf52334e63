/* SPDX-License-Identifier: BSD-3-Clause */
/* recorder_live.c - samples between those of the archive, kept for moments, for nodometer-send */
#include "recorder/recorder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>
#include "formats/raw_write.h"
#include "recorder/recorder_steps.h"

#define FILE_MAX   (1 << 20)	/* then another one is begun */
#define FREE_FLOOR (16 << 20)	/* /run is small */
#define LOCK_MS    100

void recorder_open_live(struct recorder *r)
{
	struct recorder_live *l = &r->between;
	buf_addf(&l->dir, "%s/" CONFIG_LIVE_DIR "%c", r->config->runtime_dir, '\0');
	store_open(&l->store, &(struct store_place){
		.dir = l->dir.p, .host = r->host.name, .boot_id = r->host.boot_id,
		.version = recorder_version(r), .free_floor = FREE_FLOOR, .listener = r->listener,
	});
	l->store.lock_ms = LOCK_MS;
	l->rotate = true;	/* what an earlier agent left is not of now */
	sampler_set_live(&r->sampler, str_of(r->config->live_types));
}

void recorder_close_live(struct recorder *r)
{
	struct recorder_live *l = &r->between;
	if (l->dir.n)
		store_close(&l->store);
	buf_free(&l->dir);
	buf_free(&l->group);
	buf_free(&l->header);
}

static bool take_epoch(const char *name, uint64_t *epoch)
{
	struct str s = str_of(name);
	return str_take_u64(&s, epoch) && !s.n;
}

/* All but the file that is open and the one before it, of which a reader may be at the end. */
static void remove_old(int dirfd)
{
	uint64_t newest = 0, before = 0, epoch;
	struct dirent *e;
	int fd = openat(dirfd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = fd < 0 ? NULL : fdopendir(fd);
	if (!d)
		return;
	while ((e = readdir(d)))
		if (take_epoch(e->d_name, &epoch) && epoch > before) {
			before = epoch > newest ? newest : epoch;
			newest = epoch > newest ? epoch : newest;
		}
	for (rewinddir(d); (e = readdir(d));)
		if (take_epoch(e->d_name, &epoch) && epoch < before)
			unlinkat(dirfd, e->d_name, 0);
	closedir(d);
}

static int write_group(struct recorder *r, int64_t usec)
{
	struct recorder_live *l = &r->between;
	struct stored done;
	struct piece p = { .usec = usec, .rotate = l->rotate, .group = buf_str(&l->group) };
	bool header = l->rotate || l->new_schema;
	for (;;) {
		l->header.n = 0;
		if (header)
			recorder_put_header(r, &l->header);
		p.header = buf_str(&l->header);
		store_put(&l->store, &p, &done);
		if (done.e != -EAGAIN || header)
			break;
		header = true;
	}
	if (done.e < 0)
		return done.e;
	l->new_schema = false;
	l->rotate = done.size > FILE_MAX;
	if (done.new_file)
		remove_old(l->store.archive.dirfd);
	return 0;
}

/* It goes to the archive: there is no other sample that has what it has. */
static int keep(struct recorder *r)
{
	r->sampled = true;
	return recorder_record(r, 0);
}

int recorder_sample_live(struct recorder *r, int64_t usec)
{
	struct recorder_live *l = &r->between;
	recorder_look(r);
	recorder_collect_live(r);
	jobs_put(&r->jobs, &r->ids);
	if (sampler_is_unique(&r->sampler))
		return keep(r);
	l->new_schema |= r->new_schema;
	l->group.n = 0;
	recorder_put_group(r, usec, &l->group);
	return write_group(r, usec);
}
