/* SPDX-License-Identifier: BSD-3-Clause */
/* listener.h - callback for messages: only programs log, and other code calls a listener */
#pragma once

#include "base/base.h"

enum log_level {	/* numbers of syslog(3) and sd-daemon(3) */
	LOG_LEVEL_ERROR   = 3,
	LOG_LEVEL_WARNING = 4,
	LOG_LEVEL_NOTICE  = 5,
	LOG_LEVEL_INFO    = 6,
	LOG_LEVEL_DEBUG   = 7,
};

/*
 * A callback that receives messages for human readers, such as failures and fallbacks. A message is
 * one line without a newline.
 */
struct listener {
	void (*hear)(void *arg, enum log_level level, const char *line);
	void *arg;
};

/* Send a message to a listener; does nothing if l is NULL. */
COLD void listener_say(const struct listener *l, enum log_level level, const char *fmt,
		       ...) PRINTF(3, 4);

#define say_error(l, ...)   listener_say(l, LOG_LEVEL_ERROR, __VA_ARGS__)
#define say_warning(l, ...) listener_say(l, LOG_LEVEL_WARNING, __VA_ARGS__)
#define say_notice(l, ...)  listener_say(l, LOG_LEVEL_NOTICE, __VA_ARGS__)
#define say_info(l, ...)    listener_say(l, LOG_LEVEL_INFO, __VA_ARGS__)
#define say_debug(l, ...)   listener_say(l, LOG_LEVEL_DEBUG, __VA_ARGS__)
