/* SPDX-License-Identifier: BSD-3-Clause */
/* runtime_dir.h - find the agent of a configuration without reading all of the configuration */
#pragma once

#include <stdbool.h>
#include "recorder/config.h"

/*
 * Find the runtime directory that a configuration names: that of --config, or if `config` is NULL
 * the default file with conf.d beside it. Returns true only if the agent there has read the same
 * files without an error and they have not changed since: then a hook has nothing to report about
 * them. Returns false if in doubt; config_read() then has the answer.
 */
bool runtime_dir_find(const char *config, char dir[CONFIG_TEXT_MAX]);

/*
 * Take runtime-dir from the text of a file, if it sets this key. Returns false for text from which
 * config_read() might take another value.
 */
bool runtime_dir_take(struct str text, char dir[CONFIG_TEXT_MAX]);
