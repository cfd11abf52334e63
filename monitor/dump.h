/* SPDX-License-Identifier: BSD-3-Clause */
/* dump.h - prints a recording record by record */
#pragma once

#include "monitor/played.h"

/* 0 or -errno, which is logged: it is no recording, or not whole. */
int dump_file(const struct played_file *file);
