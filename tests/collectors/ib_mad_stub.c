/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ib_mad_stub.c - a fake libibmad.so.5: ports of adapters are connected to an imaginary switch
 *
 * The name of an adapter selects the behaviour of its ports: good_0, mute_0 (no answer), hang_0
 * (the call does not return), error_0 (a bad status), narrow_0 (32-bit counters), back_0 (connected
 * to another adapter), shut_0 (cannot be opened). Port 1 is connected to port 11 of the switch with
 * LID 261, port 2 to port 12.
 */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <infiniband/mad.h>

#define LID 261
#define FIRST_PORT 10

struct ibmad_port {
	char adapter[64];
	int number, tries;
};

/*
 * Offset and size in bytes of fields in NodeInfo, PortInfo, ClassPortInfo and PortCountersExtended
 * (from the IBTA specification).
 */
static const struct place {
	enum MAD_FIELDS field;
	unsigned char at, n;
} places[] = {
	{ IB_NODE_TYPE_F, 2, 1 },	 { IB_NODE_LOCAL_PORT_F, 36, 1 }, { IB_PORT_LID_F, 16, 2 },
	{ IB_CPI_CAPMASK_F, 2, 2 },	 { IB_PC_EXT_XMT_BYTES_F, 8, 8 },
	{ IB_PC_EXT_RCV_BYTES_F, 16, 8 }, { IB_PC_EXT_XMT_PKTS_F, 24, 8 },
	{ IB_PC_EXT_RCV_PKTS_F, 32, 8 },
};

static const struct place *place_of(enum MAD_FIELDS field)
{
	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++)
		if (places[i].field == field)
			return &places[i];
	abort();
}

static void put(uint8_t *buf, enum MAD_FIELDS field, uint64_t v)
{
	const struct place *p = place_of(field);
	for (int i = p->n; i-- > 0; v >>= 8)
		buf[p->at + i] = (uint8_t)v;
}

uint64_t mad_get_field64(void *buf, int base, enum MAD_FIELDS field)
{
	const struct place *p = place_of(field);
	uint64_t v = 0;
	for (int i = 0; i < p->n; i++)
		v = v << 8 | ((uint8_t *)buf)[base + p->at + i];
	return v;
}

uint32_t mad_get_field(void *buf, int base, enum MAD_FIELDS field)
{
	return (uint32_t)mad_get_field64(buf, base, field);
}

static int is(const struct ibmad_port *p, const char *kind)
{
	return strncmp(p->adapter, kind, strlen(kind)) == 0;
}

struct ibmad_port *mad_rpc_open_port(char *adapter, int number, int *classes, int n)
{
	struct ibmad_port *p = calloc(1, sizeof(*p));
	if (!p || n != 2 || classes[0] != IB_SMI_DIRECT_CLASS || classes[1] != IB_PERFORMANCE_CLASS)
		abort();
	snprintf(p->adapter, sizeof(p->adapter), "%s", adapter);
	p->number = number;
	if (is(p, "shut_")) {
		free(p);
		errno = EPERM;
		return NULL;
	}
	return p;
}

void mad_rpc_close_port(struct ibmad_port *p)
{
	free(p);
}

void mad_rpc_set_retries(struct ibmad_port *p, int tries)
{
	p->tries = tries;
}

/* Report a failure: set errno and, like the library, write a line to standard error. */
static uint8_t *fail(int e)
{
	fprintf(stderr, "ibwarn: no answer\n");
	errno = e;
	return NULL;
}

uint8_t *smp_query_via(void *buf, ib_portid_t *to, unsigned attribute, unsigned mod,
		       unsigned timeout, const struct ibmad_port *p)
{
	if (p->tries < 1 || p->tries * timeout > 500 || mod != 0 || to->lid != 0 ||
	    to->drpath.cnt != 1 || to->drpath.p[0] != 0 || to->drpath.p[1] != p->number)
		abort();
	if (is(p, "mute_"))
		return fail(ETIMEDOUT);
	memset(buf, 0, IB_SMP_DATA_SIZE);
	if (attribute == IB_ATTR_NODE_INFO) {
		put(buf, IB_NODE_TYPE_F, is(p, "back_") ? 1 : 2);
		put(buf, IB_NODE_LOCAL_PORT_F, (uint64_t)(FIRST_PORT + p->number));
	} else if (attribute == IB_ATTR_PORT_INFO) {
		put(buf, IB_PORT_LID_F, LID);
	} else {
		abort();
	}
	return buf;
}

uint8_t *pma_query_via(void *buf, ib_portid_t *to, int port, unsigned timeout, unsigned attribute,
		       const struct ibmad_port *p)
{
	if (p->tries * timeout > 500 || to->lid != LID || port != FIRST_PORT + p->number)
		abort();
	memset(buf, 0, 192);
	if (attribute == CLASS_PORT_INFO) {
		put(buf, IB_CPI_CAPMASK_F, is(p, "narrow_") ? 0x100 : 0x200);
	} else if (is(p, "hang_")) {
		for (;;)
			pause();
	} else if (is(p, "error_")) {
		return fail(EIO);
	} else if (attribute == IB_GSI_PORT_COUNTERS_EXT) {
		put(buf, IB_PC_EXT_XMT_BYTES_F, 0x123456789abcdef0u + (unsigned)p->number);
		put(buf, IB_PC_EXT_RCV_BYTES_F, 5000000000u);
		put(buf, IB_PC_EXT_XMT_PKTS_F, 30);
		put(buf, IB_PC_EXT_RCV_PKTS_F, 40);
	} else {
		abort();
	}
	return buf;
}
