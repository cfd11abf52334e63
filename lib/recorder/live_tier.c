/* SPDX-License-Identifier: BSD-3-Clause */
/* live_tier.c - samples that the archive does not get: for nodometer-send, for nodometer top */
#include "recorder/live_tier.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>
#include "base/names.h"
#include "formats/raw_write.h"

#define FILE_MAX   (1 << 20)	/* then another one is begun */
#define FILES      2
#define FREE_FLOOR (16 << 20)	/* /run is small */
#define LOCK_MS    100

static void put_header(void *arg, struct buf *b)
{
	struct live_tier *l = arg;
	recorder_put_header(l->recorder, b);
}

void live_tier_open(struct live_tier *l, struct recorder *r)
{
	static const struct archiver_maker maker = { .put_header = put_header };
	*l = (struct live_tier){ .recorder = r, .to = { .maker = &maker, .arg = l } };
	buf_addf(&l->dir, "%s/" CONFIG_LIVE_DIR "%c", r->config->runtime_dir, '\0');
	archiver_open(&l->to, &(struct store_place){
		.dir = l->dir.p, .host = r->host.name, .boot_id = r->host.boot_id,
		.version = recorder_version(r), .free_floor = FREE_FLOOR,
		.listener = r->listener,
	});
	l->to.store.lock_ms = LOCK_MS;
	l->to.rotate = true;	/* an earlier agent's file is not of now */
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

static int write_group(struct live_tier *l, int64_t usec)
{
	struct archiver *to = &l->to;
	uint32_t turn = l->recorder->header_turn;
	to->new_schema |= turn != l->written_turn;
	l->written_turn = turn;
	int e = archiver_put(to, usec, buf_str(&l->group), false);
	if (e == 0 && to->new_file)
		remove_old(to->store.archive.dirfd);
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
	recorder_put_group(r, usec, buf_str(&r->ids), STR(""), &l->group);
	l->error = write_group(l, usec);
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
			raw_put_rows(to, state->name, &state->source.rows, state->mask);
		else
			raw_put_schema(to, t->name, t->metrics, t->n_metrics, state->mask);
	}
}

int recorder_sample_now(struct recorder *r, struct str list, struct buf *to)
{
	struct sampler *s = &r->sampler;

	sampler_set_live(s, list);
	recorder_collect_live(r);
	sampler_set_live(s, str_of(r->config->live_types));
	if (!s->n_asked)
		return -ENODATA;	/* there was no whole sample yet */
	raw_put_property(to, "hpcperfstats", STR(RAW_VERSION));
	raw_put_property(to, "hostname", str_of(r->host.name));
	put_asked(s, to, false);
	raw_put_group(to, r->sampled_us, buf_str(&r->ids), STR(""));
	put_asked(s, to, true);
	return s->restarts.n ? recorder_keep(r) : 0;
}
