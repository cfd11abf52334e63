/* SPDX-License-Identifier: BSD-3-Clause */
/* live_tier.c - take samples that are not archived, for nodometer-send and nodometer top */
#include "recorder/live_tier.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>
#include "base/names.h"
#include "formats/raw_write.h"

/* bytes; if the file is larger, the next sample begins a new file */
#define FILE_MAX   (1 << 20)
#define FILES      2	/* files to keep: the open file and the file before it */
#define FREE_FLOOR (16 << 20)	/* bytes to leave free in /run */
#define LOCK_MS    100

static void live_tier_put_header(void *arg, struct buf *b)
{
	struct live_tier *l = arg;
	recorder_put_header(l->recorder, b);
}

void live_tier_open(struct live_tier *l, struct recorder *r)
{
	static const struct archiver_maker maker = { .put_header = live_tier_put_header };
	*l = (struct live_tier){ .recorder = r, .to = { .maker = &maker, .arg = l } };
	buf_addf(&l->dir, "%s/" CONFIG_LIVE_DIR "%c", r->config->runtime_dir, '\0');
	archiver_open(&l->to, &(struct store_place){
		.dir = l->dir.p, .host = r->host.name, .boot_id = r->host.boot_id,
		.version = recorder_version(r), .free_floor = FREE_FLOOR,
		.listener = r->listener,
	});
	l->to.store.lock_ms = LOCK_MS;
	l->to.rotate = true;	/* begin a new file; the last file may be of an earlier agent */
}

void live_tier_close(struct live_tier *l)
{
	if (!l->recorder)
		return;
	archiver_close(&l->to);
	buf_free(&l->dir);
	buf_free(&l->group);
	*l = (struct live_tier){ NULL };
}

static bool live_tier_is_epoch(const char *name)
{
	return name[strspn(name, "0123456789")] == '\0';
}

/*
 * Remove all files except the open file and the file before it, which a reader may not have
 * finished.
 */
static void live_tier_remove_old(int dirfd)
{
	struct names all CLEANUP(names_free) = { 0 };
	size_t newer = 0;
	if (names_read(&all, dirfd, "", NAMES_OF_ALL) < 0)
		return;
	for (size_t i = all.n; i > 0; i--)
		if (live_tier_is_epoch(all.name[i - 1]) && newer++ >= FILES)
			unlinkat(dirfd, all.name[i - 1], 0);
}

static int live_tier_write_group(struct live_tier *l, int64_t usec)
{
	struct archiver *to = &l->to;
	uint32_t turn = l->recorder->header_turn;
	to->new_schema |= turn != l->written_turn;
	l->written_turn = turn;
	int e = archiver_put(to, usec, buf_str(&l->group), false);
	if (e == 0 && to->new_file)
		live_tier_remove_old(to->store.archive.dirfd);
	to->new_file = false;
	to->rotate |= e == 0 && to->stored.size > FILE_MAX;
	return e;
}

int live_tier_sample(struct live_tier *l, int64_t usec)
{
	struct recorder *r = l->recorder;
	recorder_collect_live(r);
	if (r->sampler.restarts.n)
		return recorder_keep(r);
	l->group.n = 0;
	recorder_put_live_group(r, usec, &l->group);
	l->error = live_tier_write_group(l, usec);
	if (l->error == 0)
		l->last_us = usec;
	return l->error;
}

/*
 * Append the rows (if `rows`) or the schema lines of the types in the newest sample, without type
 * nodometer.
 */
static void live_tier_put_types(const struct sampler *s, struct buf *to, bool rows)
{
	for (size_t i = 0; i < s->n_collected; i++) {
		const struct type_state *state = s->collected[i];
		if (state->result != 0)
			continue;
		if (rows)
			raw_put_rows(to, state->name, &state->source.rows, state->mask,
				     &state->kinds);
		else
			sampler_put_type(state, to);
	}
}

int recorder_sample_now(struct recorder *r, struct str list, struct buf *to)
{
	struct sampler *s = &r->sampler;

	sampler_set_live(s, list);
	recorder_collect_live(r);
	sampler_set_live(s, str_of(r->config->live_types));
	if (!s->n_collected)
		return -ENODATA;	/* no complete sample was taken yet */
	raw_put_property(to, "hpcperfstats", STR(RAW_VERSION));
	raw_put_property(to, "hostname", str_of(r->host.name));
	live_tier_put_types(s, to, false);
	raw_put_group(to, r->sampled_us, buf_str(&r->ids), STR(""));
	live_tier_put_types(s, to, true);
	return s->restarts.n ? recorder_keep(r) : 0;
}
