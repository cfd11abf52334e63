/* SPDX-License-Identifier: BSD-3-Clause */
/* advice.h - a site's own thresholds and links of findings, and what its energy costs */
#pragma once

#include "base/listener.h"
#include "figures/findings.h"
#include "schema/factors.h"

struct advice {
	struct finding_site *site;	/* as many as rules */
	struct factors factors;
};
void advice_begin(struct advice *a);	/* nothing is set; advice_end() ends it */
void advice_end(struct advice *a);

/*
 * Lines "RULE = NUMBER", "RULE = off", "RULE.seconds = NUMBER", "seconds = NUMBER" for all rules
 * that have a least length, and "RULE.link = TEXT", and comments after "#"; after a line "[site]"
 * those of factors_set(). Where it is not right, the listener is told with its line, the rest is
 * taken, and -EINVAL is returned.
 */
int advice_take(const char *path, struct str text, struct advice *a,
		const struct listener *listener);

/*
 * Reads the site's file. path NULL is the usual one, which may be missing. False: the file has
 * errors, and they were logged.
 */
bool advice_read(const char *path, struct advice *a);
