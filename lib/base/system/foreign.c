/* SPDX-License-Identifier: BSD-3-Clause */
/* foreign.c - give up root, the network and execve(2) before parsing files of other users */
#include "base/system/foreign.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include "base/system/confine.h"
#include "base/system/privileges.h"

#define OUTPUTS_MAX 4

/*
 * If this process is root, become another user. Ignore -EINVAL: in a user namespace without other
 * users, root cannot become another user, but has no rights outside the namespace either.
 */
static void foreign_become_nobody(uint64_t kept, const struct listener *listener)
{
	int r = privileges_leave_root("", kept);
	if (r < 0 && r != -EINVAL)
		say_warning(listener, "cannot drop root privileges, continuing as root: %s",
			    strerror(-r));
}

void foreign_may_read(const struct listener *listener)
{
	if (privileges_use(PRIVILEGE_SEARCH) < 0)
		say_debug(listener, "cannot keep the right to read: %s", strerror(errno));
}

void foreign_leave_root(const struct listener *listener)
{
	foreign_become_nobody(PRIVILEGE_SEARCH, listener);
	foreign_may_read(listener);
}

void foreign_confine(const char *const *output, uint64_t kept, unsigned may,
		     const struct listener *listener)
{
	struct confine_path paths[1 + OUTPUTS_MAX] = {
		{ "/", may & MAY_RUN ? CONFINE_RUN : CONFINE_READ }
	};
	char folder[OUTPUTS_MAX][PATH_MAX];
	struct confined c;
	size_t n = 0;

	for (; output && output[n] && n < OUTPUTS_MAX; n++) {
		confine_parent(output[n], folder[n], sizeof(folder[n]));
		paths[n + 1] = (struct confine_path){ folder[n], CONFINE_KEEP };
	}
	foreign_become_nobody(kept, listener);
	/* MAY_SHARE lets the process set the mode of output files */
	confine(paths, n + 1, n ? may | MAY_SHARE : may, &c);
	if (c.why[0])
		say_debug(listener, "not confined: %s", c.why);
}
