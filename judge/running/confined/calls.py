"""What a child may not ask of the system: a filter by libseccomp, which the kernel keeps and nobody can take off."""

import contextlib
import errno
import os
from collections.abc import Sequence

from judge.running.confined.exchange import Bounded

# Calls that no answer needs. Newer ones stand by their numbers, which all processors share: an older libseccomp does
# not know their names.
CLONE3 = 435
# Flags of clone for new namespaces, CLONE_NEWNS to CLONE_NEWNET: linux/sched.h
NEW_NAMESPACES = [0x00020000, *(1 << bit for bit in range(25, 31))]
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
A_THREAD = 0x00010000  # CLONE_THREAD: linux/sched.h
SIGNALS = ["kill", "tgkill", "rt_sigqueueinfo", "rt_tgsigqueueinfo"]  # the process is their first argument
OF_A_PROCESS = ["prlimit64", "sched_setaffinity"]  # and of these, where 0 is the process itself


class Filter:
    """Made once, held to by each child. `others_are_hidden` where namespaces hide files and processes.

    Raises ImportError and RuntimeError where pyseccomp or libseccomp is missing, as they are outside of Linux.
    """

    def __init__(self, others_are_hidden: bool):
        import pyseccomp  # pyright: ignore[reportMissingTypeStubs]

        self.library, self.others_are_hidden = pyseccomp, others_are_hidden
        self.made = pyseccomp.SyscallFilter(pyseccomp.ALLOW)
        self._refuse(ALWAYS)
        # its flags can't be looked at: where it is not there, libc calls clone
        self.made.add_rule(pyseccomp.ERRNO(errno.ENOSYS), CLONE3)
        for flag in NEW_NAMESPACES:
            has_it = pyseccomp.Arg(0, pyseccomp.MASKED_EQ, flag, flag)
            self.made.add_rule(pyseccomp.ERRNO(errno.EPERM), "clone", has_it)
        if not others_are_hidden:
            self._refuse([*FILES_OF_OTHERS, *PROGRAMS, "tkill"])

    def hold(self, bounds: Bounded) -> None:
        """Hold this process to the filter, for good; without a process that it may start, to its own threads too."""
        if not bounds["processes"]:
            self._refuse(PROGRAMS)
        if not (bounds["processes"] and self.others_are_hidden):
            self._refuse_to_fork(none_at_all=not bounds["processes"])
        if not self.others_are_hidden:
            self._refuse_signals(os.getpid())
        self.made.load()

    def _refuse(self, calls: Sequence[str | int]) -> None:
        for call in calls:
            with contextlib.suppress(OSError):  # a call that this processor does not have, such as chmod on ARM
                self.made.add_rule(self.library.ERRNO(errno.EPERM), call)

    def _refuse_to_fork(self, none_at_all: bool) -> None:
        none_left = self.library.ERRNO(errno.EAGAIN)  # what a limit says too
        no_thread = self.library.Arg(0, self.library.MASKED_EQ, A_THREAD, 0)
        self.made.add_rule(none_left, "clone", *([] if none_at_all else [no_thread]))
        for call in ("fork", "vfork"):
            with contextlib.suppress(OSError):  # not on ARM
                self.made.add_rule(none_left, call)

    def _refuse_signals(self, own: int) -> None:
        refused = self.library.ERRNO(errno.EPERM)
        for call in SIGNALS:
            self.made.add_rule(refused, call, self.library.Arg(0, self.library.NE, own))
        for call in OF_A_PROCESS:
            self.made.add_rule(refused, call, self.library.Arg(0, self.library.NE, 0))
