/* SPDX-License-Identifier: BSD-3-Clause */
/* xrd_help.c - help texts for the record types of nodometer xrootd --raw */
#include "formats/xrootd/xrd_help.h"

#include <string.h>
#include "base/base.h"
#include "formats/xrootd/xrd_keys.h"
#include "formats/xrootd/xrdsummary_keys.h"

/*
 * Record types from summary packets. The help text of a key is that of the same key in block .block
 * or, if .block is NULL, .text.
 */
static const struct help_block {
	const char *type, *block, *text;
} blocks[] = {
	{ "xrd_link",      "link.",        NULL },
	{ "xrd_sched",     "sched.",       NULL },
	{ "xrd_proc",      "proc.",        NULL },
	{ "xrd_ops",       "xrootd.",      NULL },
	{ "xrd_ofs",       "ofs.",         NULL },
	{ "xrd_cache",     "cache.",       NULL },
	{ "xrd_buff",      "buff.",        NULL },
	{ "xrd_poll",      "poll.",        NULL },
	{ "xrd_sgen",      "sgen.",        NULL },
	{ "xrd_cmsm_node", "cmsm.node.i.", NULL },
	{ "xrd_cmsm",      "cmsm.",        NULL },
	{ "xrd_path",      "oss.paths.i.", NULL },
	{ "xrd_space",     "oss.space.i.", NULL },
	{ "xrd_http_request",  NULL, "HTTP requests, by method" },
	{ "xrd_http_response", NULL, "HTTP responses, by status" },
	{ "xrd_set",       NULL, "numbers of a plug-in, as they are now" },
	{ "xrd_g_count",   NULL, "counts of a plug-in, g-stream" },
	{ "xrd_g_now",     NULL, "numbers of a plug-in, g-stream, as they are now" },
	{ "xrd_g_time",    NULL, "time spent in a plug-in, g-stream" },
};

/*
 * Return true if `theirs`, a key of a packet, is `key` in a record: "ops.open" is "ops_open". A
 * time has two keys in a packet, ".s" (seconds) and ".u" (microseconds). Only the first matches:
 * "sys.s" is "sys", and the record's key gets its help text.
 */
static bool help_is_key(const char *theirs, const char *key)
{
	for (; *key && *theirs; key++, theirs++)
		if (*key != (*theirs == '.' ? '_' : *theirs))
			return false;
	return !*key && (!*theirs || strcmp(theirs, ".s") == 0);
}

static const char *help_of_block(const char *block, const char *key)
{
	size_t n = strlen(block);
	for (size_t i = 0; i < xrd_summary_n_keys; i++) {
		const struct xrd_summary_key *k = &xrd_summary_keys[i];
		if (strncmp(k->key, block, n) == 0 && help_is_key(k->key + n, key))
			return k->text;
	}
	return "";
}

const char *xrd_help(const char *type, const char *key)
{
	for (size_t i = 0; i < XRD_TYPES; i++)
		for (size_t k = xrd_types[i].first; k <= xrd_types[i].last; k++)
			if (strcmp(xrd_types[i].name, type) == 0 &&
			    strcmp(xrd_keys[k].name, key) == 0)
				return xrd_keys[k].help;
	for (size_t i = 0; i < ARRAY_SIZE(blocks); i++)
		if (strcmp(blocks[i].type, type) == 0)
			return blocks[i].block ? help_of_block(blocks[i].block, key) :
						 blocks[i].text;
	return "";
}
