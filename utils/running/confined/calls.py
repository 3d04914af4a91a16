"""What a child may not ask of the system: a filter by libseccomp, which the kernel keeps and nobody can take off."""

import contextlib
import errno
import os
from collections.abc import Sequence

import pyseccomp  # pyright: ignore[reportMissingTypeStubs]

from utils.running.confined.exchange import Bounded

# Calls that no answer needs. Newer ones stand by their numbers, which all processors share: an older libseccomp does
# not know their names.
NAMESPACES = [
    *("unshare", "setns", "mount", "umount2", "pivot_root", "chroot", "open_by_handle_at", "name_to_handle_at"),
    *(428, 429, 430, 431, 432, 433, 442),  # open_tree to fspick, mount_setattr
]
OTHER_PROCESSES = [
    *("ptrace", "process_vm_readv", "process_vm_writev", "kcmp", "perf_event_open"),
    *("setpriority", "ioprio_set", "sched_setattr", "sched_setscheduler", "sched_setparam", "migrate_pages"),
    *(424, 434, 438, 440, 448),  # pidfd_send_signal, pidfd_open, pidfd_getfd, process_madvise, process_mrelease
]
KERNEL = [
    *("bpf", "keyctl", "add_key", "request_key", "userfaultfd", "acct", "swapon", "swapoff", "reboot"),
    *("init_module", "finit_module", "delete_module", "kexec_load", "syslog", "settimeofday", "clock_settime"),
    *(425, 426, 427),  # io_uring
]
CHANNELS = [
    *("socket", "socketpair", "shmget", "msgget", "semget", "mq_open", "memfd_create"),
    447,  # memfd_secret
]
PROGRAMS = ["execve", "execveat"]
FILES_OF_OTHERS = [  # what Landlock does not know of
    *("truncate", "chmod", "fchmod", "fchmodat", "chown", "fchown", "lchown", "fchownat"),
    *("utime", "utimes", "utimensat", "futimesat", "setxattr", "lsetxattr", "fsetxattr", "removexattr"),
    *("lremovexattr", "fremovexattr", "link", "linkat"),
    *(452, 463, 466, 469),  # fchmodat2, setxattrat, removexattrat, file_setattr
]
ALWAYS = [*NAMESPACES, *OTHER_PROCESSES, *KERNEL, *CHANNELS]
REFUSED = pyseccomp.ERRNO(errno.EPERM)
NONE_LEFT = pyseccomp.ERRNO(errno.EAGAIN)  # what a limit says too
A_THREAD = 0x00010000  # CLONE_THREAD: linux/sched.h
SIGNALS = ["kill", "tgkill", "rt_sigqueueinfo", "rt_tgsigqueueinfo"]  # the process is their first argument


def filter_of(others_are_hidden: bool) -> pyseccomp.SyscallFilter:
    """The part that is the same for all children; `others_are_hidden` where namespaces hide files and processes."""
    made = pyseccomp.SyscallFilter(pyseccomp.ALLOW)
    _refuse(made, ALWAYS)
    made.add_rule(pyseccomp.ERRNO(errno.ENOSYS), 435)  # clone3, whose flags can't be looked at: then it is clone
    if not others_are_hidden:
        _refuse(made, [*FILES_OF_OTHERS, *PROGRAMS, "tkill"])
    return made


def refuse_calls(made: pyseccomp.SyscallFilter, bounds: Bounded, others_are_hidden: bool) -> None:
    """Hold this process to the filter, for good; without a process that it may start, to its own threads too."""
    if not bounds["processes"]:
        _refuse(made, PROGRAMS)
    if not (bounds["processes"] and others_are_hidden):
        _refuse_to_fork(made)
    if not others_are_hidden:
        _refuse_signals(made, os.getpid())
    made.load()


def _refuse(made: pyseccomp.SyscallFilter, calls: Sequence[str | int]) -> None:
    for call in calls:
        with contextlib.suppress(OSError):  # a call that this processor does not have, such as chmod on ARM
            made.add_rule(REFUSED, call)


def _refuse_to_fork(made: pyseccomp.SyscallFilter) -> None:
    no_thread = pyseccomp.Arg(0, pyseccomp.MASKED_EQ, A_THREAD, 0)
    made.add_rule(NONE_LEFT, "clone", no_thread)
    for call in ("fork", "vfork"):
        with contextlib.suppress(OSError):  # not on ARM
            made.add_rule(NONE_LEFT, call)


def _refuse_signals(made: pyseccomp.SyscallFilter, own: int) -> None:
    for call in SIGNALS:
        made.add_rule(REFUSED, call, pyseccomp.Arg(0, pyseccomp.NE, own))
    for call in ("prlimit64", "sched_setaffinity"):  # 0 is the process itself
        made.add_rule(REFUSED, call, pyseccomp.Arg(0, pyseccomp.NE, 0))
