/* SPDX-License-Identifier: BSD-3-Clause */
/* peaks.c - put the node's peak performance, as "nodometer peak" measured it, into file headers */
#include "recorder/peaks.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>
#include "base/system/bounded.h"
#include "collectors/pmu/pmu.h"
#include "formats/raw_write.h"

#define PATH_SIZE   1024
#define MEASURED_MS 200	/* ms: timeout for the archive's file system */

static int peaks_put_path(char path[PATH_SIZE], const char *dir, const char *host)
{
	int n = snprintf(path, PATH_SIZE, "%s/%s/.peak", dir, host);
	return n < PATH_SIZE ? 0 : -ENAMETOOLONG;
}

int peaks_keep(const char *dir, const char *host, const struct peaks_measured *m)
{
	struct buf text CLEANUP(buf_free) = { 0 };
	char path[PATH_SIZE];

	buf_addf(&text, "flops=%" PRIu64 " bandwidth=%" PRIu64 "\n", m->flops, m->bandwidth);
	int e = peaks_put_path(path, dir, host);
	return e < 0 ? e : files_replace(path, buf_str(&text));
}

/*
 * Append "KEY=NUMBER" if the text has this key. Do not copy anything but numbers, since the owner
 * of the folder can write any text into the file.
 */
static void peaks_put_number(struct buf *b, const char *key, struct str text)
{
	struct str word;
	uint64_t n;

	while (str_take_word(&text, &word))
		if (str_take_prefix(&word, str_of(key)) && str_take_prefix(&word, STR("=")) &&
		    str_take_u64(&word, &n) && word.n == 0 && n > 0) {
			buf_addf(b, " %s=%" PRIu64, key, n);
			return;
		}
}

struct peaks_place {
	const char *dir, *host;
};

static void peaks_put_measured(void *arg, struct buf *b)
{
	const struct peaks_place *at = arg;
	char path[PATH_SIZE], text[128];

	if (peaks_put_path(path, at->dir, at->host) < 0)
		return;
	int fd CLEANUP(close_fd) = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	ssize_t n = fd >= 0 ? read(fd, text, sizeof(text)) : 0;
	struct str all = { text, n > 0 ? (size_t)n : 0 }, line;
	if (str_take_line(&all, &line)) {
		peaks_put_number(b, "flops", line);
		peaks_put_number(b, "bandwidth", line);
	}
}

/*
 * Append what is known about the processor. The kernel reports the nominal clock of some
 * processors, in kHz: drivers/cpufreq/intel_pstate.c.
 */
static void peaks_put_processor(struct buf *b, const struct files *root)
{
	unsigned cycle = pmu_flop_cycle(pmu_look_at_processor(root));
	char line[32];
	uint64_t khz;
	struct str text = files_line(root, "sys/devices/system/cpu/cpu0/cpufreq/base_frequency",
				     line, sizeof(line));

	if (cycle)
		buf_addf(b, " cycle=%u", cycle);
	if (cycle && str_take_u64(&text, &khz) && text.n == 0 && khz < UINT64_MAX / 1000)
		buf_addf(b, " clock=%" PRIu64, khz * 1000);
}

void peaks_put_header(struct buf *b, const struct files *root, const char *dir, const char *host,
		      bool bounded)
{
	struct buf words CLEANUP(buf_free) = { 0 };
	struct peaks_place at = { dir, host };

	peaks_put_processor(&words, root);
	if (!bounded)
		peaks_put_measured(&at, &words);
	else if (bounded_run(MEASURED_MS, peaks_put_measured, &at, &words) < 0 && !words.n)
		return;
	if (words.n)
		raw_put_property(b, "peak", str_skip(buf_str(&words), 1));
}
