/* SPDX-License-Identifier: BSD-3-Clause */
/* nfs.h - operations of an NFS mount, and indexes of the keys of type nfs */
#pragma once

/*
 * The operations of an NFS mount, in the order of their keys in the schema. Do not change the
 * order; add new operations at the end. First come the NFSv3 operations that hpcperfstats has; then
 * operation "NULL"; then the operations that only NFSv2 has; then all operations of Linux's NFSv4
 * clients up to minor version 2, including operations that newer kernels lack (nfs4_procedures[] in
 * fs/nfs/nfs4xdr.c).
 */
#define NFS_OPS(OP) \
	OP("ACCESS") OP("COMMIT") OP("CREATE") OP("FSINFO") OP("FSSTAT") OP("GETATTR") \
	OP("LINK") OP("LOOKUP") OP("MKDIR") OP("MKNOD") OP("PATHCONF") OP("READ") \
	OP("READDIR") OP("READDIRPLUS") OP("READLINK") OP("REMOVE") OP("RENAME") OP("RMDIR") \
	OP("SETATTR") OP("SYMLINK") OP("WRITE") \
	OP("NULL") OP("ROOT") OP("WRITECACHE") \
	OP("OPEN") OP("OPEN_CONFIRM") OP("OPEN_NOATTR") OP("OPEN_DOWNGRADE") OP("CLOSE") \
	OP("RENEW") OP("SETCLIENTID") OP("SETCLIENTID_CONFIRM") OP("LOCK") OP("LOCKT") \
	OP("LOCKU") OP("LOOKUP_ROOT") OP("STATFS") OP("SERVER_CAPS") OP("DELEGRETURN") \
	OP("GETACL") OP("SETACL") OP("FS_LOCATIONS") OP("RELEASE_LOCKOWNER") OP("SECINFO") \
	OP("FSID_PRESENT") OP("EXCHANGE_ID") OP("CREATE_SESSION") OP("DESTROY_SESSION") \
	OP("SEQUENCE") OP("GET_LEASE_TIME") OP("RECLAIM_COMPLETE") OP("LAYOUTGET") \
	OP("GETDEVICEINFO") OP("LAYOUTCOMMIT") OP("LAYOUTRETURN") OP("SECINFO_NO_NAME") \
	OP("TEST_STATEID") OP("FREE_STATEID") OP("GETDEVICELIST") OP("BIND_CONN_TO_SESSION") \
	OP("DESTROY_CLIENTID") OP("SEEK") OP("ALLOCATE") OP("DEALLOCATE") OP("LAYOUTSTATS") \
	OP("CLONE") OP("COPY") OP("OFFLOAD_CANCEL") OP("OFFLOAD_STATUS") OP("COPY_NOTIFY") \
	OP("LOOKUPP") OP("LAYOUTERROR") OP("GETXATTR") OP("SETXATTR") OP("LISTXATTRS") \
	OP("REMOVEXATTR") OP("READ_PLUS") OP("ZERO_RANGE")

enum { EVENTS = 0, BYTES = 25, XPRT = 33, XPRT_END = 38, OP_FIRST = 38, OP_WIDTH = 8 };
