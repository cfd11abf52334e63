/* SPDX-License-Identifier: BSD-3-Clause */
/* config_resolve.c - check that the events in a configuration can be counted on this node */
#include <errno.h>
#include <string.h>
#include "recorder/config.h"

int config_resolve(struct config *c, struct buf *errors)
{
	struct files root;
	if (c->named.n == 0)
		return 0;
	int r = files_open_root(&root, c->root);
	if (r == 0) {
		r = named_resolve(&c->named, &root, errors, &c->warnings);
		files_free(&root);
	}
	if (r < 0 && r != -EINVAL)
		buf_addf(errors, "%s: %s\n", c->root, strerror(-r));
	return r;
}
