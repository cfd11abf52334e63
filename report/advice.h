/* SPDX-License-Identifier: BSD-3-Clause */
/* advice.h - read a site's settings: threshold and help link of each finding, cost of energy */
#pragma once

#include "base/listener.h"
#include "figures/findings/findings.h"
#include "schema/factors.h"

struct advice {
	struct finding_site *site;	/* settings of each rule, in the order of finding_rules[] */
	struct factors factors;
};
/* initializes an empty set of settings; call advice_end() to free it */
void advice_begin(struct advice *a);
void advice_end(struct advice *a);

/*
 * Parse a site's settings. "RULE = NUMBER" sets the threshold of a rule, "RULE = off" disables the
 * rule, "RULE.seconds = NUMBER" sets the shortest job to which it applies, and "RULE.link = TEXT"
 * its help link. "seconds = NUMBER" sets the shortest job for all rules that have such a limit. "#"
 * starts a comment. Lines after "[site]" set cost factors, see factors_take(). Invalid lines are
 * reported to the listener and skipped. Returns 0, or -EINVAL if any line was invalid.
 */
int advice_take(const char *path, struct str text, struct advice *a,
		const struct listener *listener);

/*
 * Read the site's settings file. If path is NULL, read the default file, which may be missing. Logs
 * errors. Returns false if the file cannot be read or has errors.
 */
bool advice_read(const char *path, struct advice *a);
