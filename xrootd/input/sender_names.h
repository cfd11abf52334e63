/* SPDX-License-Identifier: BSD-3-Clause */
/* sender_names.h - the host names of who sends packets: asked once each, by a process of its own */
#pragma once

#include <netinet/in.h>
#include "base/str.h"

struct sender_names;

/* Starts the process that asks name servers. Never NULL; without that process, addresses it is. */
/* unmap: IPv4 addresses are asked for as such, in /etc/hosts, too; XRootD's mpxstats does not. */
struct sender_names *sender_names_new(bool unmap);
void sender_names_free(struct sender_names *s);		/* NULL is fine */

/*
 * The name of a sender or, where it has none, "[::ffff:192.0.2.1]". A name server that does not
 * answer within a fifth of a second is not waited for, nor is it again while it is slow: the
 * address stands in until it answers. Borrowed until the next call.
 */
struct str sender_names_get(struct sender_names *s, const struct sockaddr_in6 *from);
