/* SPDX-License-Identifier: BSD-3-Clause */
/* page_server.c - answer GET /metrics with libmicrohttpd, in threads or in the caller's loop */
#include "sinks/page_server.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include "base/system/host_port.h"
#include "sinks/sink.h"

/*
 * Parse "ADDRESS:PORT". Only numeric addresses are accepted, so that nothing waits for DNS. Returns
 * NULL if the text is no address that a socket could be bound to.
 */
static struct addrinfo *page_parse_address(const char *where)
{
	const struct addrinfo hints = {
		.ai_socktype = SOCK_STREAM,
		.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV | AI_PASSIVE,
	};
	struct addrinfo *found;
	char host[64];
	const char *port;
	if (!host_port_split(where, host, sizeof(host), &port) ||
	    getaddrinfo(host, port, &hints, &found))
		return NULL;
	return found;
}

static bool page_is_loopback(const struct sockaddr *a)
{
	const struct sockaddr_in *in = (const void *)a;
	const struct sockaddr_in6 *in6 = (const void *)a;
	return a->sa_family == AF_INET6 ? IN6_IS_ADDR_LOOPBACK(&in6->sin6_addr) :
	       ntohl(in->sin_addr.s_addr) >> 24 == IN_LOOPBACKNET;
}

enum page_reach page_reach_of(const char *listen)
{
	struct addrinfo *a = page_parse_address(listen);
	if (!a)
		return PAGE_NO_ADDRESS;
	enum page_reach reach = page_is_loopback(a->ai_addr) ? PAGE_THIS_HOST : PAGE_OTHER_HOSTS;
	freeaddrinfo(a);
	return reach;
}

static bool page_listen_is_valid(const struct page_keys *k, struct buf *why)
{
	enum page_reach reach = k->listen[0] ? page_reach_of(k->listen) : PAGE_THIS_HOST;
	if (reach == PAGE_NO_ADDRESS)
		buf_addf(why, "listen = %s: expected ADDRESS:PORT, such as 127.0.0.1:9100",
			 k->listen);
	else if (reach == PAGE_OTHER_HOSTS && !k->cert_file[0] && !k->plain)
		buf_addf(why, "listen = %s: other hosts can reach this address: set cert-file and "
			 "key-file, or plain = yes", k->listen);
	else
		return true;
	return false;
}

int page_keys_check(const struct page_keys *k, struct buf *why)
{
#ifndef HAVE_MICROHTTPD
	if (k->listen[0] || k->socket_dir[0]) {
		buf_addf(why, "listen, socket-dir: this build has no libmicrohttpd");
		return -EINVAL;
	}
#endif
	if (sink_has_half_certificate(k->cert_file, k->key_file, why))
		return -EINVAL;
	if (k->token_file[0] && !k->listen[0])
		buf_addf(why, "token-file needs listen");
	else if (page_listen_is_valid(k, why))
		return 0;
	return -EINVAL;
}

#ifndef HAVE_MICROHTTPD
int page_server_open(const struct page_keys *k, const struct page_maker *maker,
		     struct page_server **ret, struct buf *why)
{
	(void)k;
	(void)maker;
	(void)ret;
	buf_addf(why, "this build has no libmicrohttpd");
	return -EOPNOTSUPP;
}

void page_server_close(struct page_server *s)
{
	(void)s;
}

int page_server_fd(const struct page_server *s)
{
	(void)s;
	return -1;
}

void page_server_run(struct page_server *s)
{
	(void)s;
}
#else
#include <fcntl.h>
#include <microhttpd.h>
#include <stdlib.h>
#include <sys/un.h>
#include <unistd.h>
#include "base/files.h"

#define PEERS_MAX   256	/* limit of concurrent connections */
/* limit of connections if the caller's loop, which has other work, serves the page */
#define POLLED_MAX  16
#define IDLE_S      10	/* idle timeout of a connection, in seconds */
#define REQUEST_MAX 8192	/* largest request with its headers, in bytes */
#define BACKLOG     16

#if MHD_VERSION >= 0x00097002
typedef enum MHD_Result mhd_result;
#else
typedef int mhd_result;
#endif

/* A listening socket and the token that its clients must send. */
struct page_endpoint {
	struct page_server *server;
	struct MHD_Daemon *daemon;	/* NULL if not started */
	/* required value of the header Authorization: "Bearer ..."; empty: none */
	struct buf token;
};

struct page_server {
	struct page_maker maker;
	struct page_endpoint network, local;
	struct sockaddr_un at;		/* address of `local` */
};

static mhd_result page_send_response(struct MHD_Connection *c, unsigned status, struct str body,
				     const char *type)
{
	struct MHD_Response *r = MHD_create_response_from_buffer(
		body.n, (void *)(uintptr_t)body.p, MHD_RESPMEM_MUST_COPY);
	if (!r)
		return MHD_NO;
	MHD_add_response_header(r, MHD_HTTP_HEADER_CONTENT_TYPE, type);
	if (status == MHD_HTTP_UNAUTHORIZED)
		MHD_add_response_header(r, MHD_HTTP_HEADER_WWW_AUTHENTICATE, "Bearer");
	mhd_result a = MHD_queue_response(c, status, r);
	MHD_destroy_response(r);
	return a;
}

static mhd_result page_send_error(struct MHD_Connection *c, unsigned status, const char *text)
{
	return page_send_response(c, status, str_of(text), "text/plain; charset=utf-8");
}

/* Compare two strings in a time that does not show where they differ. */
static bool page_token_matches(struct str a, const char *given)
{
	struct str b = str_of(given ? given : "");
	unsigned char differ = a.n != b.n;
	for (size_t i = 0; i < a.n && i < b.n; i++)
		differ |= (unsigned char)(a.p[i] ^ b.p[i]);
	return !differ;
}

static mhd_result page_on_request(void *arg, struct MHD_Connection *c, const char *url,
				  const char *method, const char *version, const char *data,
				  size_t *size, void **state)
{
	const struct page_endpoint *e = arg;
	const struct page_maker *maker = &e->server->maker;
	struct buf page CLEANUP(buf_free) = { 0 };
	(void)version;
	(void)data;
	if (!*state) {		/* first call: only the headers have arrived */
		*state = arg;
		return MHD_YES;
	}
	if (*size) {		/* ignore a request body */
		*size = 0;
		return MHD_YES;
	}
	const char *who = MHD_lookup_connection_value(c, MHD_HEADER_KIND, "Authorization");
	if (e->token.n && !page_token_matches(buf_str(&e->token), who))
		return page_send_error(c, MHD_HTTP_UNAUTHORIZED,
				       "missing or wrong bearer token\n");
	if (strcmp(method, "GET") != 0 && strcmp(method, "HEAD") != 0)
		return page_send_error(c, MHD_HTTP_METHOD_NOT_ALLOWED, "use GET\n");
	if (strcmp(url, "/metrics") != 0)
		return page_send_error(c, MHD_HTTP_NOT_FOUND, "not found: use /metrics\n");
	maker->make(maker->arg, &page);
	return page_send_response(c, MHD_HTTP_OK, buf_str(&page), maker->content_type);
}

/* Create a listening socket. Returns the descriptor, or -errno and why. */
static int page_listen_at(const struct sockaddr *a, socklen_t size, const char *name,
			  struct buf *why)
{
	int fd = socket(a->sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), on = 1;
	if (fd >= 0 && a->sa_family != AF_UNIX)
		setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	int e = fd < 0 ? -errno : a->sa_family == AF_UNIX ?
		files_bind(fd, (const struct sockaddr_un *)a, 0660) :
		bind(fd, a, size) < 0 ? -errno : 0;
	if (e == 0 && listen(fd, BACKLOG) < 0)
		e = -errno;
	if (e == 0)
		return fd;
	buf_addf(why, "%s: %s", name, strerror(-e));
	close_fd(&fd);
	return e;
}

/* Start the HTTP daemon, which takes over the socket and closes the socket if it cannot start. */
static int page_start_daemon(struct page_endpoint *e, int fd, const struct MHD_OptionItem *more,
			     bool tls,
			     struct buf *why)
{
	bool polled = e->server->maker.polled;
	unsigned flags = (polled ? MHD_USE_EPOLL : MHD_USE_AUTO | MHD_USE_INTERNAL_POLLING_THREAD) |
			 (tls ? MHD_USE_TLS : 0);
	if (tls && MHD_is_feature_supported(MHD_FEATURE_TLS) != MHD_YES) {
		buf_addf(why, "cert-file: this libmicrohttpd has no TLS");
		close_fd(&fd);
		return -EINVAL;
	}
	e->daemon = MHD_start_daemon(flags, 0, NULL, NULL, page_on_request, e,
		MHD_OPTION_LISTEN_SOCKET, fd,
		MHD_OPTION_CONNECTION_LIMIT, polled ? (unsigned)POLLED_MAX : (unsigned)PEERS_MAX,
		MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)IDLE_S,
		MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)REQUEST_MAX,
		MHD_OPTION_ARRAY, more, MHD_OPTION_END);
	if (e->daemon)
		return 0;
	buf_addf(why, tls ? "cannot serve the page: are cert-file and key-file a matching pair of "
			    "PEM files?" : "cannot serve the page");
	return -EINVAL;
}

static int page_read_pem(const char *value, struct buf *to, struct buf *why)
{
	struct buf path CLEANUP(buf_free) = { 0 };
	struct str text;
	int r = sink_secret_path(value, &path, why);
	if (r < 0)
		return r;
	int fd CLEANUP(close_fd) = open(path.p, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	r = fd < 0 ? -errno : files_read_fd(fd, FILE_TO_END, to, &text);
	if (r < 0)
		buf_addf(why, "%s: %s", path.p, strerror(-r));
	buf_add_char(to, '\0');
	return r;
}

static int page_read_token(const char *file, struct buf *to, struct buf *why)
{
	struct buf secret CLEANUP(buf_free) = { 0 };
	int r = sink_read_secret(file, &secret, why);
	if (r == 0)
		buf_addf(to, "Bearer " STR_FMT, STR_ARG(buf_str(&secret)));
	return r;
}

static int page_open_network(struct page_server *s, const struct page_keys *k, struct buf *why)
{
	struct buf cert CLEANUP(buf_free) = { 0 }, key CLEANUP(buf_free) = { 0 };
	bool tls = k->cert_file[0];
	int r = tls ? page_read_pem(k->cert_file, &cert, why) : 0;
	if (r == 0 && tls)
		r = page_read_pem(k->key_file, &key, why);
	if (r == 0 && k->token_file[0])
		r = page_read_token(k->token_file, &s->network.token, why);
	struct addrinfo *a = r == 0 ? page_parse_address(k->listen) : NULL;
	if (!a)
		return r < 0 ? r : -EINVAL;
	int fd = page_listen_at(a->ai_addr, a->ai_addrlen, k->listen, why);
	freeaddrinfo(a);
	const struct MHD_OptionItem own[] = {
		{ tls ? MHD_OPTION_HTTPS_MEM_CERT : MHD_OPTION_END, 0, cert.p },
		{ MHD_OPTION_HTTPS_MEM_KEY, 0, key.p },
		{ MHD_OPTION_END, 0, NULL },
	};
	return fd < 0 ? fd : page_start_daemon(&s->network, fd, own, tls, why);
}

/*
 * Listen on the Unix socket, replacing the socket of an earlier sender. All users who may read the
 * archive may connect.
 */
static int page_open_unix(struct page_server *s, const char *dir, struct buf *why)
{
	const struct MHD_OptionItem none = { MHD_OPTION_END, 0, NULL };
	struct buf path CLEANUP(buf_free) = { 0 };
	buf_addf(&path, "%s/" PAGE_SOCKET, dir);
	s->at.sun_family = AF_UNIX;
	if (!str_copy(s->at.sun_path, sizeof(s->at.sun_path), buf_str(&path))) {
		buf_addf(why, "socket-dir: the path is too long for a socket");
		return -ENAMETOOLONG;
	}
	unlink(s->at.sun_path);
	int fd = page_listen_at((struct sockaddr *)&s->at, sizeof(s->at), s->at.sun_path, why);
	return fd < 0 ? fd : page_start_daemon(&s->local, fd, &none, false, why);
}

int page_server_open(const struct page_keys *k, const struct page_maker *maker,
		     struct page_server **ret, struct buf *why)
{
	struct page_server *s = xrealloc(NULL, sizeof(*s));
	*s = (struct page_server){ .maker = *maker };
	s->network.server = s->local.server = s;
	int r = k->listen[0] ? page_open_network(s, k, why) : 0;
	if (r == 0 && k->socket_dir[0])
		r = page_open_unix(s, k->socket_dir, why);
	if (r < 0)
		page_server_close(s);
	else
		*ret = s;
	return r;
}

int page_server_fd(const struct page_server *s)
{
	const union MHD_DaemonInfo *info =
		MHD_get_daemon_info(s->network.daemon, MHD_DAEMON_INFO_EPOLL_FD);
	return info ? info->epoll_fd : -1;
}

void page_server_run(struct page_server *s)
{
	MHD_run(s->network.daemon);
}

static void page_endpoint_close(struct page_endpoint *e)
{
	if (e->daemon)
		MHD_stop_daemon(e->daemon);
	buf_free(&e->token);
}

void page_server_close(struct page_server *s)
{
	if (!s)
		return;
	page_endpoint_close(&s->network);
	page_endpoint_close(&s->local);
	if (s->local.daemon)
		unlink(s->at.sun_path);
	free(s);
}
#endif
