/* SPDX-License-Identifier: BSD-3-Clause */
/* session_line.c - write a session of a user as a line of JSON */
#include "xrootd/lines/session_line.h"

#include "xrootd/join/xrd_put.h"
#include "xrootd/lines/members.h"
#include "xrootd/lines/user_text.h"
#include "xrootd/lines/xrd_transfer.h"

static void session_line_put_times(struct buf *b, const struct xrd_session *s)
{
	int64_t login_s = s->login_us / 1000000, end_s = s->end_window[0];
	bool has_end = s->end_window[0] != 0;
	int64_t duration = s->has_seconds ? s->seconds : end_s > login_s ? end_s - login_s : 0;
	json_int(b, "login_time", s->login_us / 1000);
	member_int(b, KEY("end_time"), has_end, end_s * 1000);
	member_int(b, KEY("session_time"), s->has_seconds || has_end, duration);
	member_bool(b, KEY("forced"), s->has_seconds, s->forced);
}

static void session_line_put_counts(struct buf *b, const struct xrd_session *s)
{
	json_int(b, "accesses", s->accesses);
	json_int(b, "incomplete", s->incomplete);
	json_int(b, "read", s->read);
	json_int(b, "readv", s->readv);
	json_int(b, "write", s->write);
	json_str(b, "read_is", s->read_is_exact ? STR("exact") : STR("at_least"));
	json_str(b, "write_is", s->write_is_exact ? STR("exact") : STR("at_least"));
}

void session_line_put(struct buf *b, const struct xrd_session_end *e)
{
	const struct xrd_who who = xrd_who_of(e->client, NULL);
	json_open(b, NULL, '{');
	json_int(b, "session_id", (int64_t)e->client->entry.id);
	xrd_transfer_put_server(b, e->server);
	user_text_put(b, &who, e->client_name);
	session_line_put_times(b, e->session);
	session_line_put_counts(b, e->session);
	json_str(b, "ended_by", str_of(xrd_transfer_end_name(e->why)));
	buf_add(b, STR("}\n"));
}
