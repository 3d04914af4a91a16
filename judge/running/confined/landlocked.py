"""The second way to confine, which needs no privilege: Landlock, and a filter that refuses more calls."""

import os
from collections.abc import Sequence

from judge.running.confined import limits, system
from judge.running.confined.calls import Filter
from judge.running.confined.exchange import Bounded


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
