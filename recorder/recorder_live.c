/* SPDX-License-Identifier: BSD-3-Clause */
/* recorder_live.c - samples between those of the archive, for nodometer-send, or who asks now */
#include "recorder/recorder.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>
#include "base/names.h"
#include "formats/raw_write.h"
#include "recorder/recorder_steps.h"

#define FILE_MAX   (1 << 20)	/* then another one is begun */
#define FILES      2
#define FREE_FLOOR (16 << 20)	/* /run is small */
#define LOCK_MS    100

void recorder_open_live(struct recorder *r)
{
	struct recorder_live *l = &r->between;
	buf_addf(&l->dir, "%s/" CONFIG_LIVE_DIR "%c", r->config->runtime_dir, '\0');
	l->out.maker = &recorder_maker;
	l->out.arg = r;
	archiver_open(&l->out, &(struct store_place){
		.dir = l->dir.p, .host = r->host.name, .boot_id = r->host.boot_id,
		.version = recorder_version(r), .free_floor = FREE_FLOOR, .listener = r->listener,
	});
	l->out.store.lock_ms = LOCK_MS;
	l->out.rotate = true;	/* what an earlier agent left is not of now */
	sampler_set_live(&r->sampler, str_of(r->config->live_types));
}

void recorder_close_live(struct recorder *r)
{
	struct recorder_live *l = &r->between;
	archiver_close(&l->out);
	buf_free(&l->dir);
	buf_free(&l->group);
}

static bool is_epoch(const char *name)
{
	return name[strspn(name, "0123456789")] == '\0';
}

/* All but the file that is open and the one before it, of which a reader may be at the end. */
static void remove_old(int dirfd)
{
	struct names all CLEANUP(names_free) = { 0 };
	size_t newer = 0;
	if (names_read(&all, dirfd, "", NAMES_OF_ALL) < 0)
		return;
	for (size_t i = all.n; i > 0; i--)
		if (is_epoch(all.name[i - 1]) && newer++ >= FILES)
			unlinkat(dirfd, all.name[i - 1], 0);
}

static int write_group(struct recorder *r, int64_t usec)
{
	struct archiver *out = &r->between.out;
	int e = archiver_put(out, usec, buf_str(&r->between.group), false);
	if (e == 0 && out->new_file)
		remove_old(out->store.archive.dirfd);
	out->new_file = false;
	out->rotate |= e == 0 && out->stored.size > FILE_MAX;
	return e;
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
	l->group.n = 0;
	recorder_put_group(r, usec, &l->group);
	l->error = write_group(r, usec);
	if (l->error == 0)
		l->last_us = usec;
	return l->error;
}

/* The types of the newest sample, or their rows, without its cost. */
static void put_asked(const struct sampler *s, struct buf *to, bool rows)
{
	for (size_t i = 0; i < s->n_asked; i++) {
		const struct type_state *state = s->asked[i];
		const struct type *t = state->c->type;
		if (state->result != 0)
			continue;
		if (rows)
			raw_put_rows(to, t->name, &state->source.rows, state->mask);
		else
			raw_put_schema(to, t->name, t->metrics, t->n_metrics, state->mask);
	}
}

int recorder_sample_now(struct recorder *r, struct str list, struct buf *to)
{
	struct sampler *s = &r->sampler;

	recorder_look(r);
	sampler_set_live(s, list);
	recorder_collect_live(r);
	sampler_set_live(s, str_of(r->config->live_types));
	if (!s->n_asked)
		return -ENODATA;	/* there was no whole sample yet */
	jobs_put(&r->jobs, &r->ids);
	raw_put_property(to, "hpcperfstats", STR(RAW_VERSION));
	raw_put_property(to, "hostname", str_of(r->host.name));
	put_asked(s, to, false);
	raw_put_group(to, r->sampled_us, buf_str(&r->ids), STR(""));
	put_asked(s, to, true);
	return sampler_is_unique(s) ? keep(r) : 0;
}
