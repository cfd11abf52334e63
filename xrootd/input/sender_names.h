/* SPDX-License-Identifier: BSD-3-Clause */
/* sender_names.h - look up host names of senders in a separate process, and cache them */
#pragma once

#include <netinet/in.h>
#include "base/str.h"

struct sender_names;

/*
 * Start the lookup process. Never returns NULL; if the process cannot be started, addresses serve
 * as names. unmap: look up mapped IPv4 addresses as IPv4, also in /etc/hosts, unlike XRootD's
 * mpxstats.
 */
struct sender_names *sender_names_new(bool unmap);
void sender_names_free(struct sender_names *s);		/* s may be NULL */

/*
 * Get the name of a sender, or its address ("[::ffff:192.0.2.1]") if it has no name. The first
 * lookup waits up to 0.2 s; while the name server is slow, the address is returned at once. The
 * text is valid until the next call.
 */
struct str sender_names_get(struct sender_names *s, const struct sockaddr_in6 *from);
