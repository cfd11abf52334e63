/* SPDX-License-Identifier: BSD-3-Clause */
/* xrd_help.h - help texts for the record types of nodometer xrootd --raw */
#pragma once

/* Return the help text of a key, or "" if the type or key is unknown. */
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
