"""The ways to confine a child: namespaces; else Landlock, which needs no privilege; else time and memory alone.

In each the system counts what a child takes, and ends or refuses it: processor time, memory, processes, files. In the
first two it also refuses calls, by a filter of libseccomp's, which the kernel keeps and nobody can take off.
"""

import contextlib
import errno
import functools
import os
from collections.abc import Sequence
from typing import Any

from judge.running.confined import system
from judge.running.confined.exchange import Bounded
from judge.running.confined.system import PROCESSORS, mapped

STACK = 16 * 2**20  # bytes
MORE = 1  # seconds of a processor after which code is ended that has not let itself be ended from inside
ROOM_TO_ANSWER = 3  # times `answered`: what writing an answer takes beyond what the code may have


@functools.cache
def _resource() -> Any:
    import resource  # not on Windows

    return resource


def prepare_limits() -> None:
    """Import what limits need, so that no child has to."""
    _resource()


def limit(bounds: Bounded, already: int) -> None:
    """Hold this process to its bounds, for good: its memory to what it has mapped already, in bytes, and its bound."""
    memory = already + bounds["memory"]
    most = memory + ROOM_TO_ANSWER * bounds["answered"]
    _resource().setrlimit(_resource().RLIMIT_AS, (memory, most))
    _set(_resource().RLIMIT_STACK, STACK)
    _set(_resource().RLIMIT_CPU, bounds["cpu_seconds"] + MORE)
    _set(_resource().RLIMIT_FSIZE, bounds["written"])
    _set(_resource().RLIMIT_NOFILE, bounds["open_files"])
    _set(_resource().RLIMIT_CORE, 0)
    _set(_resource().RLIMIT_MEMLOCK, 0)
    _set(_resource().RLIMIT_MSGQUEUE, 0)


def limit_processes(bounds: Bounded) -> None:
    """Of whoever this process belongs to, itself too: to be called where these are the child's alone."""
    _set(_resource().RLIMIT_NPROC, 1 + bounds["processes"])


def give_room_to_answer() -> None:
    """The code is done, or has used up its memory: there is some left to say so."""
    _, most = _resource().getrlimit(_resource().RLIMIT_AS)
    _resource().setrlimit(_resource().RLIMIT_AS, (most, most))


def take_room_back(bounds: Bounded) -> None:
    """The code goes on with what it may have."""
    _, most = _resource().getrlimit(_resource().RLIMIT_AS)
    _resource().setrlimit(_resource().RLIMIT_AS, (most - ROOM_TO_ANSWER * bounds["answered"], most))


def _set(what: int, most: int) -> None:
    _, hard = _resource().getrlimit(what)
    most = most if hard == _resource().RLIM_INFINITY else min(most, hard)
    _resource().setrlimit(what, (most, most))


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


FILES = 1_000  # and folders, at most
ROOM = 8192  # bytes beside that file: sizes are rounded to pages


class Namespaces:
    """Works inside a box that shows few files, all read-only; see grader/sandbox/bubblewrap.py."""

    def __init__(self, user: int, scratch: str):
        self.user, self.scratch = user, scratch

    def begin(self) -> None:
        """Before anything large is imported: own the namespaces whose children are made. Raises OSError."""
        system.become(self.user)
        system.unshare_user(system.PID)
        child = os.fork()
        if child:
            os.closerange(3, 256)  # whoever asks must see it when the other one ends
            _, status = os.waitpid(child, 0)
            os._exit(os.waitstatus_to_exitcode(status) & 255)

    def prepare(self) -> None:
        """Once all is imported."""
        self.processes = os.open("/proc/self/ns/pid", os.O_RDONLY | os.O_CLOEXEC)
        self.filter = Filter(others_are_hidden=True)
        self.processors = PROCESSORS.read_bytes()

    def fork(self) -> int:
        """As `os.fork`; the child is the first process of a namespace, with whose end all in it end."""
        system.unshare(system.PID)
        child = os.fork()
        if child:
            system.enter(self.processes, system.PID)
        return child

    def confine(self, bounds: Bounded) -> None:
        """In the child, before it reads anything of a learner's. Raises OSError."""
        os.setsid()  # else `os.killpg` of its group reaches the process that it was forked of
        system.unshare(system.NET)
        system.unshare_user(system.MOUNT | system.IPC | system.UTS)
        system.own_mounts()
        system.mount_memory(self.scratch, f"size={bounds['written']},nr_inodes={FILES},mode=0700")
        already = system.mapped()  # read in /proc, which is hidden next: that writes a file, so no limit comes before
        self._leave_little_of_proc()
        limit(bounds, already)
        limit_processes(bounds)  # in the user namespace: outside of it root starts as many as it likes
        system.drop_capabilities()
        self.filter.hold(bounds)
        os.chdir(self.scratch)

    def _leave_little_of_proc(self) -> None:
        """Hide all processes, and let the child read what the processors are."""
        system.mount_memory("/proc", f"size={ROOM + len(self.processors)},mode=0500")
        PROCESSORS.write_bytes(self.processors)


class Landlocked:
    """A child may read what it is told, write nothing, and reach no process but itself."""

    def __init__(self, readable: Sequence[str], user: int):
        self.readable, self.user = readable, user

    def begin(self) -> None:
        """Before anything large is imported. Raises OSError."""
        system.become(self.user)

    def prepare(self) -> None:
        """Once all is imported. Raises LandlockError where the kernel has no Landlock."""
        self.filter = Filter(others_are_hidden=False)
        self.rules = _rules(self.readable)

    def fork(self) -> int:
        """As `os.fork`."""
        return os.fork()

    def confine(self, bounds: Bounded) -> None:
        """In the child, before it reads anything of a learner's. Raises OSError and LandlockError."""
        from py_landlock.landlock_sys import RulesetFd, restrict_self

        os.setsid()
        os.chdir("/")
        limit(bounds, system.mapped())
        system.drop_capabilities()
        restrict_self(RulesetFd(self.rules), None)
        self.filter.hold(bounds)


def _rules(readable: Sequence[str]) -> int:
    """The descriptor of rules by which these are read and nothing is written, made once for all children."""
    from py_landlock import AccessFs
    from py_landlock.abi import get_supported_fs, get_supported_net, get_supported_scope
    from py_landlock.landlock_sys import PathBeneathAttr, RulesetAttr, add_rule, create_ruleset, get_abi_version

    version = get_abi_version()
    rules = create_ruleset(
        RulesetAttr(
            handled_access_fs=get_supported_fs(version),
            handled_access_net=get_supported_net(version),
            scoped=get_supported_scope(version),
        )
    )
    for path in readable:
        of_a_folder = AccessFs.READ_DIR if os.path.isdir(path) else AccessFs(0)
        descriptor = os.open(path, os.O_PATH | os.O_CLOEXEC)
        add_rule(rules, PathBeneathAttr(allowed_access=AccessFs.READ_FILE | of_a_folder, parent_fd=descriptor))
        os.close(descriptor)
    return int(rules)


class Unconfined:
    """For a machine that has neither namespaces nor Landlock, and a teacher who says so."""

    def begin(self) -> None:
        """Nothing."""

    def prepare(self) -> None:
        """Nothing."""

    def fork(self) -> int:
        """As `os.fork`."""
        return os.fork()

    def confine(self, bounds: Bounded) -> None:
        """Only bounds; a limit of processes would count the teacher's own."""
        os.setsid()
        limit(bounds, mapped())
