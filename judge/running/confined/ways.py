"""The ways to confine a child: namespaces; else Landlock, which needs no privilege; else time and memory alone."""

import os
from collections.abc import Sequence

from judge.running.confined import limits, system
from judge.running.confined.calls import Filter
from judge.running.confined.exchange import Bounded
from judge.running.confined.system import PROCESSORS, mapped

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
        limits.limit(bounds, already)
        limits.limit_processes(bounds)  # in the user namespace: outside of it root starts as many as it likes
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
        limits.limit(bounds, system.mapped())
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
        limits.limit(bounds, mapped())
