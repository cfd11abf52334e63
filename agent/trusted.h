/* SPDX-License-Identifier: BSD-3-Clause */
/* trusted.h - find out which users may use all verbs of the control socket */
#pragma once

#include <stdbool.h>
#include <sys/socket.h>
#include <systemd/sd-event.h>

struct trusted *trusted_new(sd_event *event);	/* release with trusted_stop() and free(3) */

/*
 * Set the list of users and groups that may use all verbs. The text must stay valid until
 * trusted_stop(). Names that are not in /etc/passwd or /etc/group are looked up by a child process,
 * so that the agent never waits for a name service.
 */
void trusted_start(struct trusted *t, const char *users);
void trusted_stop(struct trusted *t);

/*
 * Return true if the peer of the socket fd is root, the agent's user, or one of the users and
 * groups given to trusted_start(). If that list has the word "all", trusted_has() returns true for
 * every peer; trusted_has_named() ignores this word.
 */
bool trusted_has(const struct trusted *t, const struct ucred *peer, int fd);
bool trusted_has_named(const struct trusted *t, const struct ucred *peer, int fd);
