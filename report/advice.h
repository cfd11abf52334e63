/* SPDX-License-Identifier: BSD-3-Clause */
/* advice.h - a site's own thresholds and links of findings */
#pragma once

#include "figures/findings.h"

/*
 * Lines "RULE = NUMBER", "RULE = off" and "RULE.link = TEXT", and comments after "#". Where it is
 * not right, an error is logged with its line; -ENOENT if there is no such file.
 */
int advice_read(const char *path, struct finding_site *site);
