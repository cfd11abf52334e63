/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * classes.c - table of the classes in MONITOR recordings
 *
 * Sources of the data blocks: VMS System Management Utilities Manual, "MONITOR Record Formats"
 * (STATES, MODES, LOCK, DLOCK, SCS), and the item codes of $GETSPI (all others). .order_guessed:
 * the items of the class are known and their total size is right, but their order is not
 * documented. The items of POOL are in the order of their item codes, as those of LOCK and DLOCK
 * are.
 */
#include "formats/vms/classes.h"

#include <strings.h>
#include "base/base.h"

#define COUNT(name, title)  { name, VMS_COUNT, 4, title }
#define AMOUNT(name, title) { name, VMS_AMOUNT, 4, title }
#define NUMBER(name, bytes) { name, VMS_NUMBER, bytes, NULL }

static const struct vms_item processes[] = {
	NUMBER("IPID", 4), NUMBER("UIC", 4), NUMBER("STATE", 2), NUMBER("PRI", 1),
	{ "LNAME", VMS_TEXT, 16, "Process Name" },
	AMOUNT("GPGCNT", "Global Pages"), AMOUNT("PPGCNT", "Process Pages"), NUMBER("STS", 4),
	COUNT("DIOCNT", "Direct I/O Rate"), COUNT("PAGEFLTS", "Page Fault Rate"),
	COUNT("CPUTIM", "CPU Time"), COUNT("BIOCNT", "Buffered I/O Rate"),
	NUMBER("EPID", 4), AMOUNT("EFWM", "Event Flag Wait Mask"),
	COUNT("RBSTRAN", "Server Transactions"),
};

static const struct vms_item states[] = {
	AMOUNT("COLPG", "Collided Page Wait"), AMOUNT("MWAIT", "Mutex & Misc Resource Wait"),
	AMOUNT("CEF", "Common Event Flag Wait"), AMOUNT("PFW", "Page Fault Wait"),
	AMOUNT("LEF", "Local Event Flag Wait"), AMOUNT("LEFO", "Local Evt Flg (Outswapped)"),
	AMOUNT("HIB", "Hibernate"), AMOUNT("HIBO", "Hibernate (Outswapped)"),
	AMOUNT("SUSP", "Suspended"), AMOUNT("SUSPO", "Suspended (Outswapped)"),
	AMOUNT("FPG", "Free Page Wait"), AMOUNT("COM", "Compute"),
	AMOUNT("COMO", "Compute (Outswapped)"), AMOUNT("CUR", "Current Process"),
};

static const struct vms_item modes[] = {
	NUMBER("CPUID", 1),
	COUNT("INTER", "Interrupt State"), COUNT("MPSYNC", "MP Synchronization"),
	COUNT("KERNEL", "Kernel Mode"), COUNT("EXEC", "Executive Mode"),
	COUNT("SUPER", "Supervisor Mode"), COUNT("USER", "User Mode"),
	COUNT("COMPAT", "Compatibility Mode"), COUNT("IDLE", "Idle Time"),
};

#define FAULTS  COUNT("FAULTS", "Page Fault Rate")
#define PREADS  COUNT("PREADS", "Page Read Rate")
#define PREADIO COUNT("PREADIO", "Page Read I/O Rate")
#define PWRITES COUNT("PWRITES", "Page Write Rate")
#define PWRITIO COUNT("PWRITIO", "Page Write I/O Rate")
#define FRLIST  AMOUNT("FRLIST", "Free List Size")
#define MODLIST AMOUNT("MODLIST", "Modified List Size")
#define DIRIO   COUNT("DIRIO", "Direct I/O Rate")
#define BUFIO   COUNT("BUFIO", "Buffered I/O Rate")

static const struct vms_item page[] = {
	FAULTS, PREADS, PREADIO, PWRITES, PWRITIO,
	COUNT("FREFLTS", "Free List Fault Rate"), COUNT("MFYFLTS", "Modified List Fault Rate"),
	COUNT("DZROFLTS", "Demand Zero Fault Rate"), COUNT("GVALFLTS", "Global Valid Fault Rate"),
	COUNT("WRTINPROG", "Wrt In Progress Fault Rate"), COUNT("SYSFAULTS", "System Fault Rate"),
	FRLIST, MODLIST,
};

static const struct vms_item io[] = {
	DIRIO, BUFIO, COUNT("MBWRITES", "Mailbox Write Rate"),
	COUNT("FCPSPLIT", "Split Transfer Rate"), COUNT("LOGNAM", "Log Name Translation Rate"),
	COUNT("OPENS", "File Open Rate"), FAULTS, PREADS, PREADIO, PWRITES, PWRITIO,
	COUNT("ISWPCNT", "Inswap Rate"), FRLIST, MODLIST,
};

static const struct vms_item fcp[] = {
	COUNT("FCPCALLS", "FCP Call Rate"), COUNT("ALLOC", "Allocation Rate"),
	COUNT("FCPCREATE", "Create Rate"), COUNT("FCPREAD", "Disk Read Rate"),
	COUNT("FCPWRITE", "Disk Write Rate"), COUNT("VOLWAIT", "Volume Lock Wait Rate"),
	COUNT("FCPCPU", "CPU Tick Rate"), COUNT("FCPFAULT", "File Sys Page Fault Rate"),
	COUNT("FCPTURN", "Window Turn Rate"), COUNT("ACCESS", "File Lookup Rate"),
	COUNT("OPENS", "File Open Rate"), COUNT("FCPERASE", "Erase Rate"),
};

static const struct vms_item pool[] = {
	AMOUNT("LRPCNT", "LRPs Available"), AMOUNT("LRPINUSE", "LRPs In Use"),
	AMOUNT("IRPCNT", "IRPs Available"), AMOUNT("IRPINUSE", "IRPs In Use"),
	AMOUNT("SRPCNT", "SRPs Available"), AMOUNT("SRPINUSE", "SRPs In Use"),
	AMOUNT("HOLECNT", "Blocks of Dynamic Memory"), AMOUNT("BIGHOLE", "Largest Block"),
	AMOUNT("SMALLHOLE", "Smallest Block"), AMOUNT("HOLESUM", "Dynamic Memory Available"),
	AMOUNT("DYNINUSE", "Dynamic Memory In Use"), AMOUNT("SMALLCNT", "Blocks Below 32 Bytes"),
};

static const struct vms_item lock[] = {
	COUNT("ENQNEW", "New ENQ Rate"), COUNT("ENQCVT", "Converted ENQ Rate"),
	COUNT("DEQ", "DEQ Rate"), COUNT("BLKAST", "Blocking AST Rate"),
	COUNT("ENQWAIT", "ENQs Forced To Wait Rate"), COUNT("ENQNOTQD", "ENQs Not Queued Rate"),
	COUNT("DLCKSRCH", "Deadlock Search Rate"), COUNT("DLCKFND", "Deadlock Find Rate"),
	AMOUNT("NUMLOCKS", "Total Locks"), AMOUNT("NUMRES", "Total Resources"),
};

static const struct vms_item decnet[] = {
	COUNT("ARRLOCPK", "Arriving Local Packet Rate"),
	COUNT("DEPLOCPK", "Departing Local Packet Rate"),
	COUNT("ARRTRAPK", "Arriving Trans Packet Rate"),
	COUNT("TRCNGLOS", "Trans Congestion Loss Rate"),
	COUNT("RCVBUFFL", "Receiver Buff Failure Rate"),
};

static const struct vms_item file_system_cache[] = {
	COUNT("DIRFCB_HIT", "Dir FCB Hits"), COUNT("DIRFCB_TRIES", "Dir FCB Attempt Rate"),
	COUNT("DIRDATA_HIT", "Dir Data Hits"), COUNT("DIRDATA_TRIES", "Dir Data Attempt Rate"),
	COUNT("FILHDR_HIT", "File Hdr Hits"), COUNT("FILHDR_TRIES", "File Hdr Attempt Rate"),
	COUNT("FID_HIT", "File ID Hits"), COUNT("FID_TRIES", "File ID Attempt Rate"),
	COUNT("EXT_HIT", "Extent Hits"), COUNT("EXT_TRIES", "Extent Attempt Rate"),
	COUNT("QUO_HIT", "Quota Hits"), COUNT("QUO_TRIES", "Quota Attempt Rate"),
	COUNT("STORAGMAP_HIT", "Bitmap Hits"), COUNT("STORAGMAP_TRIES", "Bitmap Attempt Rate"),
};

static const struct vms_item disk[] = {
	NUMBER("ALLOCLASS", 1), { "CTRLR", VMS_TEXT, 4, NULL }, NUMBER("UNITNO", 2),
	NUMBER("FLAGS", 1), { "NODENAME", VMS_TEXT, 8, NULL },
	{ "VOLNAME", VMS_BLANKS, 12, "Volume" },
	COUNT("OPCNT", "I/O Operation Rate"), COUNT("QCOUNT", "I/O Request Queue Length"),
};

static const struct vms_item dlock[] = {
	COUNT("ENQNEWLOC", "New ENQ Rate (Local)"), COUNT("ENQNEWIN", "New ENQ Rate (Incoming)"),
	COUNT("ENQNEWOUT", "New ENQ Rate (Outgoing)"),
	COUNT("ENQCVTLOC", "Converted ENQ Rate (Local)"),
	COUNT("ENQCVTIN", "Converted ENQ Rate (Incom)"),
	COUNT("ENQCVTOUT", "Converted ENQ Rate (Outgo)"), COUNT("DEQLOC", "DEQ Rate (Local)"),
	COUNT("DEQIN", "DEQ Rate (Incoming)"), COUNT("DEQOUT", "DEQ Rate (Outgoing)"),
	COUNT("BLKLOC", "Blocking AST Rate (Local)"),
	COUNT("BLKIN", "Blocking AST Rate (Incom)"), COUNT("BLKOUT", "Blocking AST Rate (Outgo)"),
	COUNT("DIRIN", "Dir Functn Rate (Incoming)"),
	COUNT("DIROUT", "Dir Functn Rate (Outgoing)"), COUNT("DLCKMSG", "Deadlock Message Rate"),
};

static const struct vms_item scs[] = {
	{ "NODENAME", VMS_TEXT, 8, NULL }, COUNT("DGSENT", "Datagrams Sent Rate"),
	COUNT("DGRCVD", "Datagrams Received Rate"), COUNT("DGDISCARD", "Datagrams Discarded Rate"),
	COUNT("MSGSENT", "Sequenced Message Send Rate"),
	COUNT("MSGRCVD", "Sequenced Message Recv Rate"),
	COUNT("SNDATS", "Block Transfer Send Rate"),
	COUNT("KBYTSENT", "Kilobytes Sent Rate"), COUNT("REQDATS", "Block Transfer Req Rate"),
	COUNT("KBYTREQD", "Kilobytes Requested Rate"), COUNT("KBYTMAPD", "Kilobytes Mapped Rate"),
	COUNT("QCR_CNT", "Send Credit Wait Rate"), COUNT("QBDT_CNT", "Buffer Descr Wait Rate"),
};

static const struct vms_item system_items[] = {
	COUNT("BUSY", "CPU Busy"), AMOUNT("OTHSTAT", "Other States"),
	AMOUNT("PROCS", "Process Count"), FAULTS, PREADIO, FRLIST, MODLIST, DIRIO, BUFIO,
};

/* The meaning of the items after the second is unknown. */
static const struct vms_item cluster[] = {
	COUNT("CPU_BUSY", "CPU Busy"), FRLIST, AMOUNT("ITEM3", "Longword 3"),
	AMOUNT("ITEM4", "Longword 4"), AMOUNT("ITEM5", "Longword 5"),
	AMOUNT("ITEM6", "Longword 6"), AMOUNT("ITEM7", "Longword 7"),
	AMOUNT("ITEM8", "Longword 8"), AMOUNT("ITEM9", "Longword 9"),
	AMOUNT("ITEM10", "Longword 10"), AMOUNT("ITEM11", "Longword 11"),
	AMOUNT("ITEM12", "Longword 12"), AMOUNT("ITEM13", "Longword 13"),
};

static const struct vms_item rms[] = {
	COUNT("READS", "Read Rate"), COUNT("READKB", "Kilobytes Read Rate"),
	COUNT("WRITES", "Write Rate"), COUNT("WRITEKB", "Kilobytes Written Rate"),
	COUNT("OPENS", "Open Rate"), COUNT("CLOSES", "Close Rate"),
	COUNT("EXTENDS", "Extend Rate"), COUNT("FLUSHES", "Flush Rate"),
};

static const struct vms_item mscp_server[] = {
	COUNT("REQUEST", "Server I/O Request Rate"), COUNT("READ", "Read Request Rate"),
	COUNT("WRITE", "Write Request Rate"), COUNT("FRAGMENT", "Fragmented Request Rate"),
	COUNT("SPLIT", "Split Request Rate"), COUNT("BUFWAIT", "Buffer Wait Rate"),
	COUNT("SIZE1", "Requests of 1 Block"), COUNT("SIZE2", "of 2-3 Blocks"),
	COUNT("SIZE3", "of 4-7 Blocks"), COUNT("SIZE4", "of 8-15 Blocks"),
	COUNT("SIZE5", "of 16-31 Blocks"), COUNT("SIZE6", "of 32-63 Blocks"),
	COUNT("SIZE7", "of 64-127 Blocks"),
};

static const struct vms_item transaction[] = {
	COUNT("STARTS", "Start Rate"), COUNT("PREPARES", "Prepare Rate"),
	COUNT("ONE_PHASE", "One Phase Commit Rate"), COUNT("COMMITS", "Commit Rate"),
	COUNT("ABORTS", "Abort Rate"), COUNT("ENDS", "End Rate"),
	COUNT("BRANCHS", "Remote Start Rate"), COUNT("ADDS", "Remote Add Rate"),
	COUNT("BUCKETS1", "Completion Rate by Class 1"), COUNT("BUCKETS2", "Class 2"),
	COUNT("BUCKETS3", "Class 3"), COUNT("BUCKETS4", "Class 4"), COUNT("BUCKETS5", "Class 5"),
	COUNT("BUCKETS6", "Class 6"),
};

static const struct vms_item vector[] = {
	NUMBER("CPUID", 1), COUNT("TICKS", "Vector Scheduled Rate"),
};

static const struct vms_item vbs[] = {
	COUNT("VBYTE_READ", "Bytes Read Rate"), COUNT("VBYTE_WRITE", "Bytes Written Rate"),
	COUNT("VVBS_TRAN", "Virtual Transition Rate"), COUNT("VRBS_TRAN", "Real Transition Rate"),
	COUNT("VDIO_SEL", "Direct I/O Select Rate"),
	COUNT("VDIOMAP_ALLOC", "Direct I/O Map Alloc Rate"),
	AMOUNT("VRBS_AVAIL", "Real Slots Available"), COUNT("VSEL_FAIL", "Select Failure Rate"),
	COUNT("VVBSM_HIT", "Slot Map Hit Rate"), COUNT("VVBSM_CACHE", "Slot Map Cache Rate"),
	AMOUNT("VFLUIDBAL", "Fluid Balance"), COUNT("VRECOPY", "Recopy Rate"),
	COUNT("VCPUTICKS", "CPU Tick Rate"),
};

#define ITEMS(table) .item = (table), .n_items = ARRAY_SIZE(table)
#define COMPONENT .component = true
#define GUESSED   .order_guessed = true

const struct vms_class vms_classes[VMS_CLASSES] = {
	{ "PROCESSES", "Processes", "PRO", COMPONENT, ITEMS(processes) },
	{ "STATES", "Process states", "STA", ITEMS(states) },
	{ "MODES", "Time in processor modes", "MOD", COMPONENT, ITEMS(modes) },
	{ "PAGE", "Page management", "PAG", GUESSED, ITEMS(page) },
	{ "IO", "I/O system", "IO", GUESSED, ITEMS(io) },
	{ "FCP", "File primitive", "FCP", GUESSED, ITEMS(fcp) },
	{ "POOL", "Pool (before V6.0)", "POO", GUESSED, ITEMS(pool) },
	{ "LOCK", "Lock management", "LCK", ITEMS(lock) },
	{ "DECNET", "IP (class DECNET)", "NET", ITEMS(decnet) },
	{ "reserved (9)", "reserved (9)", "C09" },
	{ "reserved (10)", "reserved (10)", "C10" },
	{ "FILE_SYSTEM_CACHE", "File system caching", "FIL", GUESSED, ITEMS(file_system_cache) },
	{ "DISK", "Disk I/O", "DSK", COMPONENT, ITEMS(disk) },
	{ "reserved (13)", "reserved (13)", "C13", COMPONENT },
	{ "DLOCK", "Distributed lock management", "DLO", ITEMS(dlock) },
	{ "SCS", "System communication: ports", "SCS", COMPONENT, ITEMS(scs) },
	{ "reserved (16)", "reserved (16)", "C16" },
	{ "SYSTEM", "System", "SYS", GUESSED, ITEMS(system_items) },
	{ "reserved (18)", "reserved (18)", "C18" },
	{ "CLUSTER", "Cluster", "CLU", GUESSED, ITEMS(cluster) },
	{ "RMS", "Files", "RMS", COMPONENT, .own = true, ITEMS(rms) },
	{ "MSCP_SERVER", "NFS server (class MSCP_SERVER)", "MSC", ITEMS(mscp_server) },
	{ "TRANSACTION", "Transactions", "TRA", GUESSED, ITEMS(transaction) },
	{ "VECTOR", "Vector processing", "VEC", COMPONENT, GUESSED, ITEMS(vector) },
	{ "VBS", "Virtual balance slots", "VBS", GUESSED, ITEMS(vbs) },
};

size_t vms_class_find(struct str name)
{
	for (size_t i = 0; i < VMS_CLASSES; i++)
		if (strlen(vms_classes[i].name) == name.n &&
		    strncasecmp(vms_classes[i].name, name.p, name.n) == 0)
			return i;
	return VMS_CLASSES;
}

size_t vms_item_at(const struct vms_class *c, size_t item)
{
	size_t at = 0;
	for (size_t i = 0; i < item; i++)
		at += c->item[i].bytes;
	return at;
}

size_t vms_block_bytes(const struct vms_class *c)
{
	return vms_item_at(c, c->n_items);
}

size_t vms_item_padding(const struct vms_item *i, size_t at)
{
	return vms_item_letter(i) == 'L' ? -at % 4 : 0;
}

size_t vms_aligned_bytes(const struct vms_class *c)
{
	size_t at = 0;
	for (size_t i = 0; i < c->n_items; i++)
		at += vms_item_padding(&c->item[i], at) + c->item[i].bytes;
	return at;
}

size_t vms_item_find(const struct vms_class *c, struct str name)
{
	size_t i = 0;
	while (i < c->n_items && !(strlen(c->item[i].name) == name.n &&
				   strncasecmp(c->item[i].name, name.p, name.n) == 0))
		i++;
	return i;
}

char vms_item_letter(const struct vms_item *i)
{
	if (i->kind == VMS_TEXT || i->kind == VMS_BLANKS)
		return 'T';
	return i->bytes == 1 ? 'B' : i->bytes == 2 ? 'W' : 'L';
}

unsigned vms_revision(size_t number)
{
	const struct vms_class *c = &vms_classes[number];
	return c->own || c->order_guessed ? VMS_OWN_REVLEVEL : 0;
}
