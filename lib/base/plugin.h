/* SPDX-License-Identifier: BSD-3-Clause */
/* plugin.h - output and exit status of a monitoring plugin (Nagios, Icinga) */
#pragma once

#include "base/buf.h"

/* Exit statuses of the Monitoring Plugins guidelines. */
enum { STATUS_OK, STATUS_WARNING, STATUS_CRITICAL, STATUS_UNKNOWN };

void plugin_put_head(struct buf *b, int status);	/* "NODOMETER WARNING - " */
/* Append text with "|" replaced by "/", because "|" starts the performance data. */
void plugin_put_words(struct buf *b, struct str text);
