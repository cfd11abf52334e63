/* SPDX-License-Identifier: BSD-3-Clause */
/* log.h - print messages of a program to standard error, for people or for the journal */
#pragma once

#include "base/listener.h"

/*
 * Set the program name that starts each line, and the least important level to print. If standard
 * error is the journal, lines start with the level <N> instead. Only programs call this.
 */
void log_open(const char *program, enum log_level most);

void log_at(enum log_level level, const char *fmt, ...) PRINTF(2, 3);

#define log_error(...)   log_at(LOG_LEVEL_ERROR, __VA_ARGS__)
#define log_warning(...) log_at(LOG_LEVEL_WARNING, __VA_ARGS__)
#define log_notice(...)  log_at(LOG_LEVEL_NOTICE, __VA_ARGS__)
#define log_info(...)    log_at(LOG_LEVEL_INFO, __VA_ARGS__)
#define log_debug(...)   log_at(LOG_LEVEL_DEBUG, __VA_ARGS__)

extern const struct listener log_listener;
