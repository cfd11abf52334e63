/* SPDX-License-Identifier: BSD-3-Clause */
/* xrd_help.h - help texts of the types of record that nodometer xrootd --raw writes */
#pragma once

/* Return the help text of a key, or "" if nodometer xrootd does not write this type or key. */
#if PART_XROOTD + PART_DELIVERY + PART_FILETRACE
const char *xrd_help(const char *type, const char *key);
#else
static inline const char *xrd_help(const char *type, const char *key)
{
	(void)type;
	(void)key;
	return "";
}
#endif
