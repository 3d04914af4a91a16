"""`python -m judge.running.confined`: started by a judge, which says in COURSE_CONFINED how children are confined."""

import gc
import json
import os

from judge.running.confined import pages
from judge.running.confined.exchange import STARTED_BY, Start
from judge.running.confined.forking import Confinement, Forking
from judge.running.confined.ways import Landlocked, Namespaces, Unconfined, prepare_limits


def main() -> None:
    start: Start = json.loads(os.environ.pop(STARTED_BY))
    confinement = _confinement(start)
    confinement.begin()
    gc.disable()  # what torch makes of objects while it is imported is kept: to look for garbage takes a sixth of that
    from judge.running.confined.child import live
    from judge.running.confined.warming import import_all, warm_up  # torch comes with it

    import_all(start["modules"])
    prepare_limits()
    warm_up()
    gc.enable()
    pages.collapse()
    confinement.prepare()
    Forking(start["control"], confinement, live).serve()


def _confinement(start: Start) -> Confinement:
    match start["confinement"]:
        case "namespaces":
            return Namespaces(start["user"], start["scratch"])
        case "landlock":
            return Landlocked(start["readable"], start["user"])
        case _:
            return Unconfined()


if __name__ == "__main__":
    main()
