/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mic - CPU time of each Xeon Phi coprocessor (Knights Corner), as seen by its host
 *
 * The times come from Intel's libmicmgmt.so.0 (MPSS 3). Without the library, a row only has the
 * keys from /sys/class/mic: the number of cores, and how often the coprocessor booted or crashed.
 */
#include "collectors/collector.h"

#include "base/system/library.h"
#include "schema/types/mic.h"

/* libmicmgmt(7), as declared in miclib.h of MPSS. All functions return 0 on success. */
struct mic_device;
struct mic_core_util;
struct micmgmt {
	int (*open)(struct mic_device **d, uint32_t number);
	int (*close)(struct mic_device *d);
	int (*alloc)(struct mic_core_util **u);
	int (*update)(struct mic_device *d, struct mic_core_util *u);
	int (*num_cores)(struct mic_core_util *u, uint16_t *n);
	int (*threads_core)(struct mic_core_util *u, uint16_t *n);
	/* functions that return the keys USER_SUM to JIFFY_COUNTER */
	int (*sum[5])(struct mic_core_util *u, uint64_t *cs);
};
#define SUM(i) (offsetof(struct micmgmt, sum) + (i) * sizeof(int (*)(void)))
static const struct library_symbol symbols[] = {
	{ "mic_open_device",       offsetof(struct micmgmt, open)         },
	{ "mic_close_device",      offsetof(struct micmgmt, close)        },
	{ "mic_alloc_core_util",   offsetof(struct micmgmt, alloc)        },
	{ "mic_update_core_util",  offsetof(struct micmgmt, update)       },
	{ "mic_get_num_cores",     offsetof(struct micmgmt, num_cores)    },
	{ "mic_get_threads_core",  offsetof(struct micmgmt, threads_core) },
	{ "mic_get_user_sum",      SUM(0)                                 },
	{ "mic_get_nice_sum",      SUM(1)                                 },
	{ "mic_get_sys_sum",       SUM(2)                                 },
	{ "mic_get_idle_sum",      SUM(3)                                 },
	{ "mic_get_jiffy_counter", SUM(4)                                 },
};

#define CLASS "sys/class/mic"
#define CARDS_MAX 16	/* more than any host can have */

struct mic_state {
	bool tried;
	/* all NULL if the library is not loaded */
	struct micmgmt fn;
	struct mic_core_util *util;
	struct mic_device *device[CARDS_MAX];
};

static int mic_present(struct source *s)
{
	int n = source_devices(s, CLASS, "mic");
	return n > 0 ? 0 : source_absent(s, "no /" CLASS "/micN");
}

static void mic_load(struct source *s, struct mic_state *st)
{
	const char *why;
	st->tried = true;
	if (s->files.in_root ||
	    library_load("libmicmgmt.so.0", symbols, ARRAY_SIZE(symbols), &st->fn, &why) < 0)
		return;
	if (st->fn.alloc(&st->util) != 0)
		st->fn = (struct micmgmt){ 0 };
}

static bool take_hex(struct str text, uint64_t *ret)
{
	text = str_trim(text);
	return str_take_hex(&text, ret) && text.n == 0;
}

static bool mic_add_files(struct source *s, const char *name, struct row row)
{
	struct str text;
	uint64_t v;
	bool any = false;
	for (size_t i = 0; i < MIC_FILES; i++) {
		if (source_read_in(s, CLASS, name, mic_files[i].file, &text) < 0 ||
		    !(mic_files[i].hex ? take_hex(text, &v) : str_take_u64(&text, &v)))
			continue;
		row_set(row, mic_files[i].key, v);
		any = true;
	}
	return any;
}

/*
 * Read the CPU times through the library. If this fails, the next sample opens the coprocessor
 * again.
 */
static void mic_add_times(struct mic_state *st, uint64_t number, struct row row)
{
	const struct micmgmt *fn = &st->fn;
	uint16_t cores, threads;
	uint64_t cs;
	if (!fn->open || number >= CARDS_MAX)
		return;
	struct mic_device **d = &st->device[number];
	if (!*d && fn->open(d, (uint32_t)number) != 0) {
		*d = NULL;
		return;
	}
	if (fn->update(*d, st->util) != 0) {
		fn->close(*d);
		*d = NULL;
		return;
	}
	if (fn->num_cores(st->util, &cores) == 0)
		row_set(row, NUM_CORES, cores);
	if (fn->threads_core(st->util, &threads) == 0)
		row_set(row, THREADS_CORE, threads);
	for (size_t i = 0; i < ARRAY_SIZE(fn->sum); i++)
		if (fn->sum[i](st->util, &cs) == 0)
			row_set(row, USER_SUM + i, cs);
}

static int mic_collect(struct source *s)
{
	struct mic_state *st = source_state(s, sizeof(*st));
	int n = source_devices(s, CLASS, "mic");
	if (!st->tried && n > 0)
		mic_load(s, st);
	for (int i = 0; i < n; i++) {
		const char *name = source_device_name(s, (size_t)i);
		struct str number = str_skip(str_of(name), 3), rest = number;
		uint64_t v;
		if (!str_take_u64(&rest, &v) || rest.n)
			continue;
		struct row row = rows_add(&s->rows, number);
		if (mic_add_files(s, name, row))
			mic_add_times(st, v, row);
		else
			rows_drop(&s->rows);
	}
	return s->rows.n ? 0 : source_absent(s, "no /" CLASS "/micN has a file to read");
}

const struct collector mic_collector = {
	.type    = &mic_type,
	.collect = mic_collect,
	.present = mic_present,
};
