/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * nvml_stub.c - a libnvidia-ml.so.1 controlled by a file, for vendor-libraries.sh and gpu.sh
 *
 * $NVML_STUB names a file of words: "gpus=N"; "mig" (GPU 1 has two instances); "sentinel" (every
 * value is "not available"); "unsupported" (only the call for memory works); "bare" (not even
 * memory works); "mig-mode" (GPU 0 has no utilization, like a GPU in MIG mode); "lost=N" (GPU N is
 * lost; with "late", only the call for its memory still works); "init=N" (result of nvmlInit_v2);
 * "slow" (nvmlInit_v2 takes 3 s); "hang" (in a call). The stub shares no code or header with the
 * tested program. The values of GPM are invented: see nvmlGpmMetricsGet. "gpm-in-use" (another
 * program has the counters), "gpm-nan", "gpm-200", "gpm-blank" (one value is no number, too large,
 * or DCGM's blank), "gpm-ampere" (no GPU has GPM), "gpm-partly" (no NVLink), "gpm-hang" (in a call
 * of GPM). Processes are lines of "$NVML_STUB.processes": "WHERE KIND PID BYTES SM". WHERE is a
 * GPU's number, or m0 or m1 for the instances; KIND is c, g or m (compute, graphics, a client of
 * MPS); BYTES is -1 if not available; SM is the percentage since the last call. With NVML_STUB_OLD
 * defined, the functions of drivers since 2017 are missing.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NOT_SUPPORTED  3
#define NOT_FOUND      6
#define LOST           15

typedef struct nvmlDevice_st *nvmlDevice_t;

static char gpu[8], mig[2];	/* gpu and mig: device handles are pointers into these arrays */

static const char *word(const char *name)
{
	static char text[256];
	const char *path = getenv("NVML_STUB");
	int fd = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
	ssize_t n = fd >= 0 ? read(fd, text, sizeof(text) - 1) : 0;
	if (fd >= 0)
		close(fd);
	text[n > 0 ? n : 0] = '\0';
	const char *at = strstr(text, name);
	return at ? at + strlen(name) : NULL;
}

static unsigned number(const char *name, unsigned otherwise)
{
	const char *at = word(name);
	unsigned n = 0;
	for (; at && *at >= '0' && *at <= '9'; at++)
		n = 10 * n + (unsigned)(*at - '0');
	return word(name) ? n : otherwise;
}

static unsigned index_of(nvmlDevice_t d)
{
	return (unsigned)((char *)d - gpu);
}

static int is_mig(nvmlDevice_t d)
{
	return (char *)d >= mig && (char *)d < mig + sizeof(mig);
}

/* Every call for a device begins with this function. */
static int begin(nvmlDevice_t d)
{
	while (word("hang"))
		sleep(1);
	if (!is_mig(d) && number("lost=", 99) == index_of(d))
		return LOST;
	return word("unsupported") || word("bare") ? NOT_SUPPORTED : 0;
}

static int begin_use(nvmlDevice_t d)
{
	return word("mig-mode") && index_of(d) == 0 ? NOT_SUPPORTED : begin(d);
}

static unsigned u32(unsigned v)
{
	return word("sentinel") ? ~0u : v;
}

static unsigned long long u64(unsigned long long v)
{
	return word("sentinel") ? ~0ull : v;
}

int nvmlInit_v2(void);
int nvmlInit_v2(void)
{
	if (word("slow"))
		sleep(3);
	return (int)number("init=", 0);
}

int nvmlShutdown(void);
int nvmlShutdown(void)
{
	return 0;
}

const char *nvmlErrorString(int r);
const char *nvmlErrorString(int r)
{
	return r == 9 ? "Driver Not Loaded" : r == 18 ? "Driver/library version mismatch" :
	       r == LOST ? "GPU is lost" : r == 19 ? "In use by another client" : NULL;
}

int nvmlDeviceGetCount_v2(unsigned *n);
int nvmlDeviceGetCount_v2(unsigned *n)
{
	*n = number("gpus=", 2);
	return 0;
}

int nvmlDeviceGetHandleByIndex_v2(unsigned i, nvmlDevice_t *d);
int nvmlDeviceGetHandleByIndex_v2(unsigned i, nvmlDevice_t *d)
{
	*d = (nvmlDevice_t)(void *)(gpu + i);
	return 0;
}

struct memory { unsigned long long total, free, used; };
int nvmlDeviceGetMemoryInfo(nvmlDevice_t d, struct memory *m);
int nvmlDeviceGetMemoryInfo(nvmlDevice_t d, struct memory *m)
{
	int r = begin(d);
	if ((r == LOST && !word("late")) || word("bare"))
		return r;
	*m = (struct memory){ u64(1000), u64(600), u64(400) };
	if (is_mig(d))
		*m = (struct memory){ 100, 70, 30 };
	return 0;
}

struct utilization { unsigned gpu, memory; };
int nvmlDeviceGetUtilizationRates(nvmlDevice_t d, struct utilization *u);
int nvmlDeviceGetUtilizationRates(nvmlDevice_t d, struct utilization *u)
{
	int r = begin_use(d);
	*u = (struct utilization){ u32(50 + index_of(d)), u32(20) };
	return r;
}

int nvmlDeviceGetPowerUsage(nvmlDevice_t d, unsigned *mw);
int nvmlDeviceGetPowerUsage(nvmlDevice_t d, unsigned *mw)
{
	*mw = u32(300000 + index_of(d));
	return begin(d);
}

int nvmlDeviceGetEnforcedPowerLimit(nvmlDevice_t d, unsigned *mw);
int nvmlDeviceGetEnforcedPowerLimit(nvmlDevice_t d, unsigned *mw)
{
	*mw = u32(400000);
	return begin(d);
}

int nvmlDeviceGetTemperature(nvmlDevice_t d, unsigned sensor, unsigned *celsius);
int nvmlDeviceGetTemperature(nvmlDevice_t d, unsigned sensor, unsigned *celsius)
{
	*celsius = u32(40 + sensor);
	return begin(d);
}

int nvmlDeviceGetClockInfo(nvmlDevice_t d, unsigned type, unsigned *mhz);
int nvmlDeviceGetClockInfo(nvmlDevice_t d, unsigned type, unsigned *mhz)
{
	*mhz = u32(1000 + type);
	return begin(d);
}

int nvmlDeviceGetCurrentClocksThrottleReasons(nvmlDevice_t d, unsigned long long *mask);
int nvmlDeviceGetCurrentClocksThrottleReasons(nvmlDevice_t d, unsigned long long *mask)
{
	*mask = u64(4);
	return begin(d);
}

int nvmlDeviceGetEncoderUtilization(nvmlDevice_t d, unsigned *percent, unsigned *us);
int nvmlDeviceGetEncoderUtilization(nvmlDevice_t d, unsigned *percent, unsigned *us)
{
	*percent = u32(7);
	*us = 167000;
	return begin_use(d);
}

int nvmlDeviceGetDecoderUtilization(nvmlDevice_t d, unsigned *percent, unsigned *us);
int nvmlDeviceGetDecoderUtilization(nvmlDevice_t d, unsigned *percent, unsigned *us)
{
	*percent = u32(8);
	*us = 167000;
	return begin_use(d);
}

#ifndef NVML_STUB_OLD
/*
 * A reading of the GPU, laid out as NVML's nvmlFieldValue_t. The type of its value depends on
 * .fieldId.
 */
struct field {
	unsigned fieldId, scopeId;
	long long timestamp, latencyUsec;
	unsigned valueType;
	int nvmlReturn;
	union {
		double dVal;
		unsigned uiVal;
		unsigned long long ullVal;
	} value;
};

static void answer(nvmlDevice_t d, struct field *f)
{
	static unsigned long long mj = 1000;
	unsigned id = f->fieldId;
	f->nvmlReturn = word("unsupported") || word("bare") ? NOT_SUPPORTED : 0;
	if ((id == 138 || id == 139) && f->scopeId != ~0u)
		f->nvmlReturn = 2;	/* invalid argument: there is no link with this number */
	if (id == 82 || id == 94 || id == 142 || id == 143) {
		f->valueType = 1;
		f->value.uiVal = u32(id);
	} else {
		f->valueType = 3;
		f->value.ullVal = u64(id == 83 ? mj += 5 + index_of(d) : 10000 + id);
	}
}

int nvmlDeviceGetFieldValues(nvmlDevice_t d, int n, struct field *f);
int nvmlDeviceGetFieldValues(nvmlDevice_t d, int n, struct field *f)
{
	if (begin(d) == LOST)
		return LOST;
	for (int i = 0; i < n; i++)
		answer(d, &f[i]);
	return 0;
}

int nvmlDeviceGetMaxMigDeviceCount(nvmlDevice_t d, unsigned *n);
int nvmlDeviceGetMaxMigDeviceCount(nvmlDevice_t d, unsigned *n)
{
	*n = word("mig") && index_of(d) == 1 ? 7 : 0;
	return begin(d);
}

/* A GPU in MIG mode has instances at indexes 0 and 3. */
int nvmlDeviceGetMigDeviceHandleByIndex(nvmlDevice_t d, unsigned i, nvmlDevice_t *m);
int nvmlDeviceGetMigDeviceHandleByIndex(nvmlDevice_t d, unsigned i, nvmlDevice_t *m)
{
	if (i != 0 && i != 3)
		return NOT_FOUND;
	*m = (nvmlDevice_t)(void *)(mig + i / 3);
	return begin(d);
}

int nvmlDeviceGetGpuInstanceId(nvmlDevice_t m, unsigned *id);
int nvmlDeviceGetGpuInstanceId(nvmlDevice_t m, unsigned *id)
{
	*id = (char *)m == mig ? 1 : 5;
	return 0;
}

int nvmlDeviceGetComputeInstanceId(nvmlDevice_t m, unsigned *id);
int nvmlDeviceGetComputeInstanceId(nvmlDevice_t m, unsigned *id)
{
	*id = (char *)m == mig ? 0 : 2;
	return 0;
}

int nvmlDeviceGetAttributes_v2(nvmlDevice_t m, unsigned *a);
int nvmlDeviceGetAttributes_v2(nvmlDevice_t m, unsigned *a)
{
	static const unsigned values[] = { 42, 3, 2, 0, 0, 0, 3, 2 };
	memcpy(a, values, sizeof(values));
	memset(a + 8, 0, 8);
	return begin(m);
}

struct process { unsigned pid; unsigned long long bytes; unsigned gi, ci; };
struct use { unsigned pid; unsigned long long us; unsigned sm, mem, enc, dec; };

/* the driver's clock, which each call for the processes of a GPU advances by a second */
static unsigned long long clock_us;

static unsigned long long take_number(char **at)
{
	unsigned long long n = 0;
	int minus = **at == '-';
	for (*at += minus; **at >= '0' && **at <= '9'; ++*at)
		n = 10 * n + (unsigned long long)(**at - '0');
	*at += **at == ' ';
	return minus ? -n : n;
}

/* Read the lines of a device. kind: 0 for lines of any kind. Returns their number, up to `most`. */
static unsigned lines(nvmlDevice_t d, char kind, unsigned most, struct process *p, struct use *u)
{
	char path[512], line[128];
	unsigned n = 0, of = is_mig(d) ? (unsigned)((char *)d - mig) : index_of(d);
	snprintf(path, sizeof(path), "%s.processes", getenv("NVML_STUB"));
	FILE *f = fopen(path, "re");
	while (f && fgets(line, sizeof(line), f)) {
		char *at = line + (*line == 'm');
		if ((is_mig(d) != 0) != (*line == 'm') || take_number(&at) != of ||
		    (kind && *at != kind))
			continue;
		at += 2;
		unsigned pid = (unsigned)take_number(&at);
		unsigned long long bytes = take_number(&at);
		if (p && n < most)
			p[n] = (struct process){ pid, bytes, 0, 0 };
		if (u && n < most)
			u[n] = (struct use){ pid, clock_us, (unsigned)take_number(&at), 1, 0, 0 };
		n++;
	}
	if (f)
		fclose(f);
	return n;
}

static int list(nvmlDevice_t d, char kind, unsigned *n, struct process *p)
{
	unsigned most = *n;
	int r = begin(d);
	if (r)
		return r;
	*n = lines(d, kind, most, p, NULL);
	return *n > most ? 7 : 0;
}

int nvmlDeviceGetComputeRunningProcesses_v3(nvmlDevice_t d, unsigned *n, struct process *p);
int nvmlDeviceGetComputeRunningProcesses_v3(nvmlDevice_t d, unsigned *n, struct process *p)
{
	return list(d, 'c', n, p);
}

int nvmlDeviceGetGraphicsRunningProcesses_v3(nvmlDevice_t d, unsigned *n, struct process *p);
int nvmlDeviceGetGraphicsRunningProcesses_v3(nvmlDevice_t d, unsigned *n, struct process *p)
{
	return list(d, 'g', n, p);
}

int nvmlDeviceGetMPSComputeRunningProcesses_v3(nvmlDevice_t d, unsigned *n, struct process *p);
int nvmlDeviceGetMPSComputeRunningProcesses_v3(nvmlDevice_t d, unsigned *n, struct process *p)
{
	return list(d, 'm', n, p);
}

int nvmlDeviceGetProcessUtilization(nvmlDevice_t d, struct use *u, unsigned *n,
				    unsigned long long after);
int nvmlDeviceGetProcessUtilization(nvmlDevice_t d, struct use *u, unsigned *n,
				    unsigned long long after)
{
	if (is_mig(d))
		return NOT_SUPPORTED;
	clock_us = after ? after + 1000000 : 1000000;
	*n = lines(d, 0, *n, NULL, u);
	return *n ? begin(d) : NOT_FOUND;
}

int nvmlDeviceGetMaxClockInfo(nvmlDevice_t d, unsigned type, unsigned *mhz);
int nvmlDeviceGetMaxClockInfo(nvmlDevice_t d, unsigned type, unsigned *mhz)
{
	*mhz = type == 2 ? 2619 : 1980;
	return begin(d);
}

int nvmlDeviceGetMemoryBusWidth(nvmlDevice_t d, unsigned *bits);
int nvmlDeviceGetMemoryBusWidth(nvmlDevice_t d, unsigned *bits)
{
	*bits = 5120;
	return begin(d);
}

/* A GPM sample: the GPU or instance that it belongs to, and its time. */
struct sample { unsigned of; int taken; };
struct gpm_support { unsigned version, isSupportedDevice; };
struct gpm_metric { unsigned id; int result; double value; const char *name[3]; };
struct gpm_metrics { unsigned version, n; struct sample *first, *second; struct gpm_metric m[98]; };

int nvmlGpmQueryDeviceSupport(nvmlDevice_t d, struct gpm_support *s);
int nvmlGpmQueryDeviceSupport(nvmlDevice_t d, struct gpm_support *s)
{
	if (s->version != 1)
		return 2;
	s->isSupportedDevice = !word("gpm-ampere");
	return begin(d);
}

int nvmlGpmSampleAlloc(struct sample **s);
int nvmlGpmSampleAlloc(struct sample **s)
{
	*s = calloc(1, sizeof(**s));
	return *s ? 0 : 20;
}

int nvmlGpmSampleFree(struct sample *s);
int nvmlGpmSampleFree(struct sample *s)
{
	free(s);
	return 0;
}

static int take(nvmlDevice_t d, unsigned of, struct sample *s)
{
	static int taken;
	while (word("gpm-hang"))
		sleep(1);
	if (word("gpm-in-use"))
		return 19;
	*s = (struct sample){ of, ++taken };
	return begin(d);
}

/* A GPU in MIG mode has no GPM counters; its instances have. */
int nvmlGpmSampleGet(nvmlDevice_t d, struct sample *s);
int nvmlGpmSampleGet(nvmlDevice_t d, struct sample *s)
{
	return word("mig") && index_of(d) == 1 ? NOT_SUPPORTED : take(d, index_of(d), s);
}

int nvmlGpmMigSampleGet(nvmlDevice_t d, unsigned instance, struct sample *s);
int nvmlGpmMigSampleGet(nvmlDevice_t d, unsigned instance, struct sample *s)
{
	if (is_mig(d) || (instance != 1 && instance != 5))
		return 2;	/* the call accepts only the handle of a whole GPU */
	return take(d, 10 + instance, s);
}

/*
 * These values are invented, not recorded on a GPU: metric N is N percent, on GPU 1 one percent
 * more, and traffic is N MiB/s. As in the library, the order of samples, their owner and the ids
 * are checked.
 */
int nvmlGpmMetricsGet(struct gpm_metrics *g);
int nvmlGpmMetricsGet(struct gpm_metrics *g)
{
	static const char ids[] = { 1, 2, 3, 4, 5, 6, 7, 9, 10, 11, 12, 13, 20, 21, 60, 61, 0 };
	if (g->version != 1 || !g->n || g->first->taken >= g->second->taken ||
	    g->first->of != g->second->of || !g->first->taken)
		return 2;
	for (unsigned i = 0; i < g->n; i++) {
		struct gpm_metric *m = &g->m[i];
		m->result = strchr(ids, (int)m->id) ? 0 : 2;
		if (word("gpm-partly") && m->id >= 60)
			m->result = NOT_SUPPORTED;
		m->value = m->id + g->first->of;
		if (m->id != 5)
			continue;
		m->value = word("gpm-nan") ? 0.0 / 0.0 : word("gpm-200") ? 200 :
			   word("gpm-blank") ? 140737488355328.0 : m->value;
	}
	return 0;
}
#endif
