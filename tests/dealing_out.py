"""How the tests are dealt out to xdist's workers: by file, some folders whole, and on when a worker dies."""

from xdist.scheduler import LoadFileScheduling


class Together(LoadFileScheduling):
    """With `--dist loadfile`. A test that hangs ends its worker (`faulthandler_timeout`), and another takes its place.

    As xdist 3.8 does it, the new one is given what the dead one had done, which is no test, and waits for ever.
    """

    def __init__(self, config, log, folders):
        super().__init__(config, log)
        self.folders = folders

    def _split_scope(self, nodeid):
        file = super()._split_scope(nodeid)
        return next((folder for folder in self.folders if file.startswith(folder)), file)

    def remove_node(self, node):
        """The test at which a worker died, which is a failure and not run again; the others of its files are."""
        files = self.assigned_work.pop(node)
        undone = [(file, nodeid) for file, tests in files.items() for nodeid, is_done in tests.items() if not is_done]
        if not undone:
            return None
        file, died_at = undone[0]
        files[file][died_at] = True
        self.workqueue.update({file: tests for file, tests in files.items() if not all(tests.values())})
        for other in self.assigned_work:
            self._reschedule(other)
        return died_at

    def schedule(self):
        """A worker begins with a test once it knows of the next, or that there is none: a new one is told both."""
        super().schedule()
        for node in self.nodes:
            self._reschedule(node)
