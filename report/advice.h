/* SPDX-License-Identifier: BSD-3-Clause */
/* advice.h - a site's own thresholds, least lengths and links of findings */
#pragma once

#include "base/listener.h"
#include "figures/findings.h"

/*
 * site: one for each rule, which the text changes. Lines "RULE = NUMBER", "RULE = off",
 * "RULE.seconds = NUMBER", "seconds = NUMBER" for all rules that have a least length, and
 * "RULE.link = TEXT", and comments after "#". Where it is not right, the listener is told with its
 * line, the rest is taken, and -EINVAL is returned.
 */
int advice_take(const char *path, struct str text, struct finding_site *site,
		const struct listener *listener);

/*
 * Reads the site's file. path NULL is the usual one, which may be missing. False: the file has
 * errors, and they were logged.
 */
bool advice_read(const char *path, struct finding_site *site);
