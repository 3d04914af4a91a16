"""Calls of Linux that Python 3.11 does not have: namespaces, mounts, capabilities, an end with the parent."""

import contextlib
import ctypes
import functools
import os
import signal
import struct
from pathlib import Path
from typing import Any

USER, PID, NET = 0x10000000, 0x20000000, 0x40000000  # the kinds of namespace: linux/sched.h
MOUNT, IPC, UTS = 0x00020000, 0x08000000, 0x04000000
NOSUID, NODEV, NOEXEC = 2, 4, 8  # flags of a mount: linux/mount.h
RECURSIVE, PRIVATE = 1 << 14, 1 << 18
PARENT_DEATH_SIGNAL, DUMPABLE = 1, 4  # of prctl: linux/prctl.h
BOUNDING_DROP, NO_NEW_PRIVILEGES, AMBIENT, AMBIENT_CLEAR = 24, 38, 47, 4
COLLAPSE = 25  # of madvise: linux/mman.h
# All that code may read of /proc: without it JAX (jaxlib 0.10.2) adds up eight numbers, and fails with an axis of 64
PROCESSORS = Path("/proc/cpuinfo")
CAPABILITY_VERSION = 0x20080522  # the third, of two times 32 bits: linux/capability.h


@functools.cache
def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


def _call(name: str, *given: Any) -> None:
    if getattr(_libc(), name)(*given) == 0:
        return
    number = ctypes.get_errno()
    raise OSError(number, os.strerror(number), name)


def unshare(kinds: int) -> None:
    """Go into new namespaces. Raises OSError."""
    _call("unshare", kinds)


def enter(descriptor: int, kind: int) -> None:
    """Go into the namespace that a descriptor stands for. Raises OSError."""
    _call("setns", descriptor, kind)


def unshare_user(others: int = 0) -> None:
    """Go into a new user namespace, as who one is, and into others that it owns. Raises OSError."""
    user, group = os.getuid(), os.getgid()
    unshare(USER | others)
    own = Path("/proc/self")
    own.joinpath("setgroups").write_text("deny")
    own.joinpath("uid_map").write_text(f"{user} {user} 1")
    own.joinpath("gid_map").write_text(f"{group} {group} 1")


def own_mounts() -> None:
    """From here on what is mounted is seen by nobody else. Raises OSError."""
    _call("mount", None, b"/", None, RECURSIVE | PRIVATE, None)


def mount_memory(where: str, options: str) -> None:
    """Put an empty file system in the place of a folder, held in memory. Raises OSError."""
    _call("mount", b"tmpfs", where.encode(), b"tmpfs", NOSUID | NODEV | NOEXEC, options.encode())


def die_with(parent: int) -> None:
    """Be killed once the process that forked this one is no more, which may be already. Raises OSError."""
    _call("prctl", PARENT_DEATH_SIGNAL, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent:
        os.kill(os.getpid(), signal.SIGKILL)


def no_new_privileges() -> None:
    """No program that is started from here on gains any. Raises OSError."""
    _call("prctl", NO_NEW_PRIVILEGES, 1, 0, 0, 0)


def drop_capabilities() -> None:
    """Have no power over anything, and never any again. Raises OSError."""
    with contextlib.suppress(OSError):  # there are fewer
        for capability in range(64):
            _call("prctl", BOUNDING_DROP, capability, 0, 0, 0)
    _call("prctl", AMBIENT, AMBIENT_CLEAR, 0, 0, 0)
    _call("capset", struct.pack("Ii", CAPABILITY_VERSION, 0), bytes(24))
    no_new_privileges()


def become(user: int) -> None:
    """Become a user whom nothing belongs to; 0 is to stay who one is. Raises OSError."""
    if not user:
        return
    os.setgroups([])
    os.setgid(user)
    os.setuid(user)
    _call("prctl", DUMPABLE, 1, 0, 0, 0)  # without it /proc/self stays root's


def mapped() -> int:
    """Bytes of addresses that this process has, in memory or not."""
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    return pages * os.sysconf("SC_PAGE_SIZE")


def collapse(address: int, size: int) -> None:
    """Put memory into large pages, where the system can: it refuses for reasons of its own, and that is no fault."""
    with contextlib.suppress(OSError):
        _call("madvise", ctypes.c_void_p(address), ctypes.c_size_t(size), COLLAPSE)
