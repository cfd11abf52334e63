/* SPDX-License-Identifier: BSD-3-Clause */
/* runtime_dir.h - find the runtime directory without reading all of the configuration */
#pragma once

#include <stdbool.h>
#include "recorder/config.h"

/*
 * Find the runtime directory that a configuration sets. `config` is the argument of --config, or
 * NULL for the default file and the folder conf.d next to it. Returns true if the agent of that
 * directory has read the same files without errors, and the files are unchanged since. Otherwise
 * dir may be wrong: read the whole configuration.
 */
bool runtime_dir_find(const char *config, char dir[CONFIG_TEXT_MAX]);

/*
 * Find runtime-dir in the text of a file; dir stays unchanged if the text does not set it. Returns
 * false if the text is too complex to be sure that config_read() finds the same value.
 */
bool runtime_dir_take(struct str text, char dir[CONFIG_TEXT_MAX]);
