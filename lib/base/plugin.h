/* SPDX-License-Identifier: BSD-3-Clause */
/* plugin.h - what programs print and return that Nagios and its like run */
#pragma once

#include "base/buf.h"

/* Monitoring Plugins' exit statuses. */
enum { STATUS_OK, STATUS_WARNING, STATUS_CRITICAL, STATUS_UNKNOWN };

void plugin_put_head(struct buf *b, int status);	/* "NODOMETER WARNING - " */
/* "/" for each "|", which begins what a program reads. */
void plugin_put_words(struct buf *b, struct str text);
