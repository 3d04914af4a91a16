"""`python -m utils.running.confined`: started by a judge, which says in COURSE_CONFINED how children are confined."""

import json
import os

from utils.running.confined.exchange import STARTED_BY, Start
from utils.running.confined.forking import Confinement, Forking
from utils.running.confined.landlocked import Landlocked
from utils.running.confined.namespaces import Namespaces
from utils.running.confined.unconfined import Unconfined


def main() -> None:
    start: Start = json.loads(os.environ.pop(STARTED_BY))
    confinement = _confinement(start)
    confinement.begin()
    from utils.running.confined.warming import import_all, warm_up  # torch comes with it

    import_all(start["modules"], start["needs"])
    warm_up()
    confinement.prepare()
    Forking(start, confinement).serve()


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
