/* SPDX-License-Identifier: BSD-3-Clause */
/* trusted.h - the users who may do everything at the control socket, found without waiting */
#pragma once

#include <stdbool.h>
#include <sys/socket.h>
#include <systemd/sd-event.h>

struct trusted *trusted_new(sd_event *event);	/* ended by trusted_stop() and free(3) */

/*
 * Takes a list of users and groups, which stays the caller's until the stop. Another process asks
 * for names that /etc/passwd lacks, and its answer may come later: no name service is waited for.
 */
void trusted_start(struct trusted *t, const char *users);
void trusted_stop(struct trusted *t);

/* Whether the peer of a socket is root, the agent's user or of the list; named: not by "all". */
bool trusted_has(const struct trusted *t, const struct ucred *peer, int fd);
bool trusted_has_named(const struct trusted *t, const struct ucred *peer, int fd);
