/* SPDX-License-Identifier: BSD-3-Clause */
/* sender_names.h - look up senders' host names, each once, in a separate process */
#pragma once

#include <netinet/in.h>
#include "base/str.h"

struct sender_names;

/*
 * Start the process that looks up names. Never returns NULL: if the process cannot be started,
 * addresses are used. If unmap is true, mapped IPv4 addresses are looked up as IPv4 addresses, also
 * in /etc/hosts; XRootD's mpxstats does not do this.
 */
struct sender_names *sender_names_new(bool unmap);
void sender_names_free(struct sender_names *s);		/* s may be NULL */

/*
 * Get the name of a sender, or "[::ffff:192.0.2.1]" if it has none. The first lookup waits up to
 * 0.2 s for the name server. If the last answer was slow, do not wait: return the address until the
 * answer arrives. The text is valid until the next call.
 */
struct str sender_names_get(struct sender_names *s, const struct sockaddr_in6 *from);
