/* SPDX-License-Identifier: BSD-3-Clause */
/* amqp_link.c - publish to an AMQP 0-9-1 broker, and consume from it, with librabbitmq */
#include "sinks/amqp_link.h"

#include <errno.h>
#include "sinks/https.h"
#include "sinks/messages.h"

#define PORT_PLAIN 5672
#define PORT_TLS   5671

int amqp_keys_check(const struct amqp_keys *k, struct buf *why)
{
#ifndef HAVE_RABBITMQ
	buf_addf(why, "this build has no librabbitmq");
	return -EINVAL;
#endif
	if (!broker_keys_check(&k->at, why))
		return -EINVAL;
	if (k->at.tls && !k->at.ca_file[0])
		buf_addf(why, "ca-file is not set: TLS needs trusted certificates");
	else if (sink_has_half_certificate(k->at.cert_file, k->at.key_file, why))
		return -EINVAL;
	else if (k->exchange[0] && k->declare)
		buf_addf(why, "remove declare: with an exchange, the consumer declares the queue");
	else if (!k->exchange[0] && !k->routing_key[0])
		buf_addf(why, "set routing-key to the name of the queue, since exchange is empty");
	else
		return 0;
	return -EINVAL;
}

#ifndef HAVE_RABBITMQ
int amqp_link_open(const struct amqp_keys *k, struct amqp_link **ret, struct buf *why)
{
	(void)k;
	(void)ret;
	buf_addf(why, "this build has no librabbitmq");
	return -EOPNOTSUPP;
}

void amqp_link_close(struct amqp_link *l)
{
	(void)l;
}

int amqp_link_publish(struct amqp_link *l, struct str body, const char *content_type,
		      struct buf *why)
{
	(void)l;
	(void)body;
	(void)content_type;
	(void)why;
	return -EOPNOTSUPP;
}

int amqp_link_confirm(struct amqp_link *l, size_t n, struct buf *why)
{
	(void)l;
	(void)n;
	(void)why;
	return -EOPNOTSUPP;
}

int amqp_link_consume(struct amqp_link *l, uint16_t ahead, struct buf *why)
{
	(void)l;
	(void)ahead;
	(void)why;
	return -EOPNOTSUPP;
}

int amqp_link_take(struct amqp_link *l, size_t most, int timeout_ms, struct buf *message,
		   struct buf *why)
{
	(void)l;
	(void)most;
	(void)timeout_ms;
	(void)message;
	(void)why;
	return -EOPNOTSUPP;
}

int amqp_link_acknowledge(struct amqp_link *l, uint64_t tag, struct buf *why)
{
	(void)l;
	(void)tag;
	(void)why;
	return -EOPNOTSUPP;
}

int amqp_link_fd(const struct amqp_link *l)
{
	(void)l;
	return -1;
}
#else
#if __has_include(<rabbitmq-c/amqp.h>)	/* since 0.11; 0.12 warns of the old names */
#include <rabbitmq-c/amqp.h>
#include <rabbitmq-c/framing.h>
#include <rabbitmq-c/ssl_socket.h>
#include <rabbitmq-c/tcp_socket.h>
#else
#include <amqp.h>
#include <amqp_framing.h>
#include <amqp_ssl_socket.h>
#include <amqp_tcp_socket.h>
#endif
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <sys/socket.h>

#define CHANNEL     1
#define CONNECT_S   10
#define IDLE_S      30
#define HEARTBEAT_S 60
#define FRAME_MAX   131072
#define PERSISTENT  2

struct amqp_link {
	const struct amqp_keys *keys;
	amqp_connection_state_t c;
	/* the login succeeded and no frame was broken: close the connection properly */
	bool open;
	/* number of messages that earlier calls of amqp_link_confirm() have confirmed */
	uint64_t before;
	bool *confirmed;	/* n flags, for delivery tags before + 1 to before + n */
	size_t n, left, cap;
};

/*
 * Report an error of librabbitmq. Mark the connection so that amqp_link_close() sends nothing:
 * after a broken frame librabbitmq stays in the middle of the frame, and would write the reply to a
 * close beyond the end of the frame's buffer. Returns -ETIMEDOUT or -EIO.
 */
static int amqp_report_status(struct amqp_link *l, int status, struct buf *why)
{
	l->open = false;
	buf_addf(why, "%s: %s", l->keys->at.broker, amqp_error_string2(status));
	return status == AMQP_STATUS_TIMEOUT ? -ETIMEDOUT : -EIO;
}

static int amqp_report_closed(const struct amqp_link *l, const amqp_method_t *m, struct buf *why)
{
	amqp_bytes_t text = { 0 };
	int code = 0;
	if (m->id == AMQP_CONNECTION_CLOSE_METHOD) {
		const amqp_connection_close_t *close = m->decoded;
		text = close->reply_text;
		code = close->reply_code;
	} else if (m->id == AMQP_CHANNEL_CLOSE_METHOD) {
		const amqp_channel_close_t *close = m->decoded;
		text = close->reply_text;
		code = close->reply_code;
	}
	buf_addf(why, "%s: %d %.*s", l->keys->at.broker, code, (int)text.len,
		 text.len ? (const char *)text.bytes : "");
	return -EREMOTEIO;
}

static int amqp_report_reply(struct amqp_link *l, amqp_rpc_reply_t r, struct buf *why)
{
	if (r.reply_type == AMQP_RESPONSE_NORMAL)
		return 0;
	if (r.reply_type == AMQP_RESPONSE_SERVER_EXCEPTION)
		return amqp_report_closed(l, &r.reply, why);
	return amqp_report_status(l, r.library_error, why);
}

static bool amqp_take_broker(const struct amqp_keys *k, char *host, size_t size, int *port)
{
	return broker_take(k->at.broker, k->at.tls ? PORT_TLS : PORT_PLAIN, host, size, port);
}

/*
 * If a new connection failed because of TLS, replace librabbitmq's error by the reason, which
 * librabbitmq does not give.
 */
static void amqp_explain(const struct amqp_keys *k, struct buf *why)
{
	struct buf reason CLEANUP(buf_free) = { 0 };
	char host[KEY_TEXT_MAX];
	struct https_peer p = { host, 0, k->at.tls, k->at.ca_file, k->at.cert_file,
				k->at.key_file };
	if (!amqp_take_broker(k, host, sizeof(host), &p.port) ||
	    !https_explain_tls(&p, &reason))
		return;
	why->n = 0;
	buf_addf(why, "%s: " STR_FMT, k->at.broker, STR_ARG(buf_str(&reason)));
}

/* Set the certificates. Reads the files at each connect, because they may be replaced. */
static int amqp_set_certificates(const struct amqp_link *l, amqp_socket_t *socket, struct buf *why)
{
	const struct amqp_keys *k = l->keys;
	struct buf key CLEANUP(buf_free) = { 0 };
	amqp_ssl_socket_set_verify_peer(socket, 1);
	amqp_ssl_socket_set_verify_hostname(socket, 1);
	int status = amqp_ssl_socket_set_cacert(socket, k->at.ca_file);
	if (status != AMQP_STATUS_OK) {
		buf_addf(why, "%s: %s", k->at.ca_file, amqp_error_string2(status));
		return -EINVAL;
	}
	if (!k->at.cert_file[0])
		return 0;
	int r = sink_secret_path(k->at.key_file, &key, why);
	if (r < 0)
		return r;
	status = amqp_ssl_socket_set_key(socket, k->at.cert_file, key.p);
	if (status == AMQP_STATUS_OK)
		return 0;
	buf_addf(why, "%s, %s: %s", k->at.cert_file, key.p, amqp_error_string2(status));
	return -EINVAL;
}

/*
 * Limit how long sent data may stay unacknowledged. A broker that is short of memory or disk stops
 * reading, and librabbitmq would wait without limit.
 */
static void amqp_limit_unacknowledged(int fd)
{
	unsigned ms = IDLE_S * 1000;
	setsockopt(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &ms, sizeof(ms));
}

static int amqp_dial(struct amqp_link *l, struct buf *why)
{
	const struct amqp_keys *k = l->keys;
	struct timeval timeout = { .tv_sec = CONNECT_S };
	char host[KEY_TEXT_MAX];
	int port;
	if (!amqp_take_broker(k, host, sizeof(host), &port))
		return -EINVAL;
	amqp_socket_t *socket = k->at.tls ? amqp_ssl_socket_new(l->c) : amqp_tcp_socket_new(l->c);
	if (!socket)
		abort();
	int r = k->at.tls ? amqp_set_certificates(l, socket, why) : 0;
	if (r < 0)
		return r;
	amqp_set_handshake_timeout(l->c, &timeout);
	amqp_set_rpc_timeout(l->c, &(struct timeval){ .tv_sec = IDLE_S });
	int status = amqp_socket_open_noblock(socket, host, port, &timeout);
	if (status != AMQP_STATUS_OK)
		return amqp_report_status(l, status, why);
	amqp_limit_unacknowledged(amqp_get_sockfd(l->c));
	return 0;
}

static int amqp_log_in(struct amqp_link *l, struct buf *why)
{
	const struct amqp_keys *k = l->keys;
	struct buf password CLEANUP(buf_free) = { 0 };
	int r = sink_read_secret(k->at.password_file, &password, why);
	if (r < 0)
		return r;
	r = amqp_report_reply(l, amqp_login(l->c, k->vhost, 0, FRAME_MAX, HEARTBEAT_S,
					    AMQP_SASL_METHOD_PLAIN, k->at.user, password.p), why);
	l->open = r == 0;
	return r;
}

static int amqp_open_channel(struct amqp_link *l, struct buf *why)
{
	amqp_channel_open(l->c, CHANNEL);
	return amqp_report_reply(l, amqp_get_rpc_reply(l->c), why);
}

static int amqp_declare(struct amqp_link *l, bool passive, struct buf *why, bool *missing)
{
	amqp_queue_declare(l->c, CHANNEL, amqp_cstring_bytes(l->keys->routing_key), passive, 1, 0,
			   0, amqp_empty_table);
	amqp_rpc_reply_t r = amqp_get_rpc_reply(l->c);
	const amqp_channel_close_t *close = r.reply.decoded;
	*missing = r.reply_type == AMQP_RESPONSE_SERVER_EXCEPTION &&
		   r.reply.id == AMQP_CHANNEL_CLOSE_METHOD && close->reply_code == AMQP_NOT_FOUND;
	return amqp_report_reply(l, r, why);
}

/*
 * Create the queue if it does not exist. First ask whether it exists, because a broker refuses to
 * declare an existing queue with other properties, such as a quorum queue. If the queue is missing,
 * the broker answers by closing the channel.
 */
static int amqp_make_queue(struct amqp_link *l, struct buf *why)
{
	struct buf ignored CLEANUP(buf_free) = { 0 };
	amqp_channel_close_ok_t closed = { 0 };
	bool missing;
	int r = amqp_declare(l, true, &ignored, &missing);
	if (!missing) {
		buf_add(why, buf_str(&ignored));
		return r;
	}
	int status = amqp_send_method(l->c, CHANNEL, AMQP_CHANNEL_CLOSE_OK_METHOD, &closed);
	if (status != AMQP_STATUS_OK)
		return amqp_report_status(l, status, why);
	r = amqp_open_channel(l, why);
	return r < 0 ? r : amqp_declare(l, false, why, &missing);
}

static int amqp_prepare_channel(struct amqp_link *l, struct buf *why)
{
	int r = amqp_open_channel(l, why);
	if (r == 0 && l->keys->declare)
		r = amqp_make_queue(l, why);
	if (r < 0)
		return r;
	amqp_confirm_select(l->c, CHANNEL);
	return amqp_report_reply(l, amqp_get_rpc_reply(l->c), why);
}

int amqp_link_open(const struct amqp_keys *k, struct amqp_link **ret, struct buf *why)
{
	struct amqp_link *l = xrealloc(NULL, sizeof(*l));
	*l = (struct amqp_link){ .keys = k, .c = amqp_new_connection() };
	if (!l->c)
		abort();
	int r = amqp_dial(l, why);
	if (r == 0)
		r = amqp_log_in(l, why);
	if (r == -EIO)
		amqp_explain(k, why);
	if (r == 0)
		r = amqp_prepare_channel(l, why);
	if (r == 0)
		*ret = l;
	else
		amqp_link_close(l);
	return r;
}

void amqp_link_close(struct amqp_link *l)
{
	if (!l)
		return;
	if (l->open) {
		amqp_set_rpc_timeout(l->c, &(struct timeval){ .tv_sec = 1 });
		amqp_connection_close(l->c, AMQP_REPLY_SUCCESS);
	}
	amqp_destroy_connection(l->c);
	free(l->confirmed);
	free(l);
}

int amqp_link_publish(struct amqp_link *l, struct str body, const char *content_type,
		      struct buf *why)
{
	const struct amqp_keys *k = l->keys;
	const amqp_basic_properties_t p = {
		._flags = AMQP_BASIC_CONTENT_TYPE_FLAG | AMQP_BASIC_DELIVERY_MODE_FLAG |
			  AMQP_BASIC_APP_ID_FLAG,
		.content_type = amqp_cstring_bytes(content_type),
		.delivery_mode = PERSISTENT,
		.app_id = amqp_cstring_bytes("nodometer"),
	};
	const amqp_bytes_t bytes = { body.n, (void *)(uintptr_t)body.p };
	int status = amqp_basic_publish(l->c, CHANNEL, amqp_cstring_bytes(k->exchange),
					amqp_cstring_bytes(k->routing_key), 1, 0, &p, bytes);
	return status == AMQP_STATUS_OK ? 0 : amqp_report_status(l, status, why);
}

static void amqp_confirm_one(struct amqp_link *l, uint64_t tag)
{
	if (tag <= l->before || tag > l->before + l->n || l->confirmed[tag - l->before - 1])
		return;
	l->confirmed[tag - l->before - 1] = true;
	l->left--;
}

/*
 * Mark the messages that one acknowledgement names as confirmed. An acknowledgement of several
 * messages may include messages that were confirmed before.
 */
static void amqp_handle_ack(struct amqp_link *l, const amqp_basic_ack_t *ack)
{
	uint64_t last = l->before + l->n;
	if (!ack->multiple) {
		amqp_confirm_one(l, ack->delivery_tag);
		return;
	}
	/* delivery tag 0 stands for all messages */
	if (ack->delivery_tag && ack->delivery_tag < last)
		last = ack->delivery_tag;
	for (uint64_t tag = l->before + 1; tag <= last; tag++)
		amqp_confirm_one(l, tag);
}

/*
 * Handle one method from the broker. If no queue takes a message, the broker returns the message
 * with its body, then confirms it. Returns 0, or -EREMOTEIO and why.
 */
static int amqp_handle_method(struct amqp_link *l, const amqp_method_t *m, struct buf *why)
{
	const struct amqp_keys *k = l->keys;
	switch (m->id) {
	case AMQP_BASIC_ACK_METHOD:
		amqp_handle_ack(l, m->decoded);
		return 0;
	case AMQP_BASIC_NACK_METHOD:
		buf_addf(why, "%s: the broker could not store a message", k->at.broker);
		return -EREMOTEIO;
	case AMQP_BASIC_RETURN_METHOD:
		buf_addf(why, "%s: no queue is bound to exchange \"%s\" with routing key \"%s\"",
			 k->at.broker, k->exchange, k->routing_key);
		return -EREMOTEIO;
	case AMQP_CHANNEL_CLOSE_METHOD:
	case AMQP_CONNECTION_CLOSE_METHOD:
		return amqp_report_closed(l, m, why);
	default:
		return 0;
	}
}

static int amqp_read_frame(struct amqp_link *l, struct buf *why)
{
	amqp_frame_t frame;
	amqp_maybe_release_buffers(l->c);
	int status = amqp_simple_wait_frame_noblock(l->c, &frame,
						    &(struct timeval){ .tv_sec = IDLE_S });
	if (status != AMQP_STATUS_OK)
		return amqp_report_status(l, status, why);
	return frame.frame_type == AMQP_FRAME_METHOD ?
	       amqp_handle_method(l, &frame.payload.method, why) : 0;
}

int amqp_link_confirm(struct amqp_link *l, size_t n, struct buf *why)
{
	int r = 0;
	l->confirmed = vec_reserve(l->confirmed, &l->cap, n, sizeof(*l->confirmed));
	memset(l->confirmed, 0, n * sizeof(*l->confirmed));
	l->n = l->left = n;
	while (r == 0 && l->left)
		r = amqp_read_frame(l, why);
	l->before += n;
	return r;
}

int amqp_link_consume(struct amqp_link *l, uint16_t ahead, struct buf *why)
{
	amqp_basic_qos(l->c, CHANNEL, 0, ahead, 0);
	int r = amqp_report_reply(l, amqp_get_rpc_reply(l->c), why);
	if (r < 0)
		return r;
	amqp_basic_consume(l->c, CHANNEL, amqp_cstring_bytes(l->keys->routing_key),
			   amqp_empty_bytes, 0, 0, 0, amqp_empty_table);
	return amqp_report_reply(l, amqp_get_rpc_reply(l->c), why);
}

/* Read the next frame of the message that a method announced. Returns 0, or -errno and why. */
static int amqp_read_part(struct amqp_link *l, uint8_t type, amqp_frame_t *frame, struct buf *why)
{
	int status = amqp_simple_wait_frame_noblock(l->c, frame,
						    &(struct timeval){ .tv_sec = IDLE_S });
	if (status != AMQP_STATUS_OK)
		return amqp_report_status(l, status, why);
	if (frame->frame_type == type)
		return 0;
	l->open = false;
	buf_addf(why, "%s: received an incomplete message", l->keys->at.broker);
	return -EPROTO;
}

/*
 * Read the header and the body of a message frame by frame. Allocate memory only for bytes that
 * have arrived, because the broker may state any size.
 */
static int amqp_read_content(struct amqp_link *l, size_t most, struct buf *message,
			     struct buf *why)
{
	amqp_frame_t frame;
	int r = amqp_read_part(l, AMQP_FRAME_HEADER, &frame, why);
	uint64_t left = r == 0 ? frame.payload.properties.body_size : 0;
	bool keep = left <= most;
	message->n = 0;
	while (r == 0 && left) {
		r = amqp_read_part(l, AMQP_FRAME_BODY, &frame, why);
		const amqp_bytes_t part = r == 0 ? frame.payload.body_fragment : amqp_empty_bytes;
		if (keep && part.len <= left)
			buf_add(message, (struct str){ part.bytes, part.len });
		left -= part.len < left ? part.len : left;
	}
	return r < 0 ? r : 1;
}

int amqp_link_take(struct amqp_link *l, size_t most, int timeout_ms, struct buf *message,
		   struct buf *why)
{
	struct timeval wait = { timeout_ms / 1000, timeout_ms % 1000 * 1000 };
	amqp_frame_t frame;
	amqp_maybe_release_buffers(l->c);
	int status = amqp_simple_wait_frame_noblock(l->c, &frame, &wait);
	if (status == AMQP_STATUS_TIMEOUT)
		return 0;
	if (status != AMQP_STATUS_OK)
		return amqp_report_status(l, status, why);
	if (frame.frame_type != AMQP_FRAME_METHOD)
		return 0;
	if (frame.payload.method.id == AMQP_BASIC_DELIVER_METHOD)
		return amqp_read_content(l, most, message, why);
	if (frame.payload.method.id != AMQP_BASIC_CANCEL_METHOD)
		return amqp_handle_method(l, &frame.payload.method, why);
	buf_addf(why, "%s: the queue %s was deleted", l->keys->at.broker, l->keys->routing_key);
	return -EREMOTEIO;
}

int amqp_link_acknowledge(struct amqp_link *l, uint64_t tag, struct buf *why)
{
	int status = amqp_basic_ack(l->c, CHANNEL, tag, 1);
	return status == AMQP_STATUS_OK ? 0 : amqp_report_status(l, status, why);
}

int amqp_link_fd(const struct amqp_link *l)
{
	bool here = amqp_frames_enqueued(l->c) || amqp_data_in_buffer(l->c);
	return here ? -1 : amqp_get_sockfd(l->c);
}
#endif
