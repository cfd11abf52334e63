/* SPDX-License-Identifier: BSD-3-Clause */
/* runtime_dir.h - find the agent of a configuration without reading all of the configuration */
#pragma once

#include <stdbool.h>
#include "recorder/config.h"

/*
 * Find the runtime directory that a configuration sets. `config` is the file of --config; if it is
 * NULL, use the default file and the folder conf.d next to it. Returns true only if the agent of
 * that directory has read the same files without an error, and if the files have not changed since.
 * A hook then has no errors in the files to report. Returns false if in doubt; then call
 * config_read().
 */
bool runtime_dir_find(const char *config, char dir[CONFIG_TEXT_MAX]);

/*
 * Find the value of runtime-dir in the text of a file; dir stays unchanged if the text does not set
 * it. Returns false if the text is not simple enough to be sure that config_read() finds the same
 * value.
 */
bool runtime_dir_take(struct str text, char dir[CONFIG_TEXT_MAX]);
