"""Grades of a made-up class, with real cards, for the tests of reports."""

import random
from functools import cache

from grader.grades import Grade, Person, Status, SubmissionGrades, points_for
from judge.checking.verdict import Failure, Verdict
from judge.running.records import Frame
from utils.course import all_exercises
from utils.learner.cards import as_html

HOSTILE = "<script>alert(1)</script><img src=x onerror=alert(2)> [x](javascript:alert(3)) \"'` =1+1 \x1b[31m\x00 ]]>"
NAMES = ("Ada Lovelace", "Grace Hopper", "Katherine Johnson", "Alan Turing", "Emmy Noether", "Edsger Dijkstra")
WEIGHTS: dict[Status, int] = {
    "pass": 66,
    "fail": 20,
    "not_yet": 6,
    "missing": 3,
    "error": 3,
    "limit": 2,
    "not_graded": 1,
}
MISCONCEPTIONS = ("the variance of a sample", "eps outside the root", "a mean without keepdim", "the exact GELU", "")
LIMITS = ("it takes longer than 5 seconds", "it takes more than 1000 MB of memory")


@cache
def card_of(symbol: str, misconception: str, seed: int, printed: str = "") -> tuple[str, str]:
    """A failure's card, as text and as HTML."""
    failure = Failure(
        "the output agrees with the reference's",
        ("all of the values differ; the largest difference is 0.31 at [batch 0, pos 3, d_model 7]",),
        misconception=misconception or None,
        advice="Divide by the number of values, not by one less: `correction=0`." if misconception else None,
        more=("got 0.5132, expected 0.8214", f"the inputs: {printed[:40]}"),
        again=("x = torch.randn(2, 5, 8)", f"test_x.again({symbol}, question=2)"),
        frames=(Frame("your cell", 12, "forward", f"return x / y  # {printed[:60]}"),),
        printed=printed,
    )
    verdict = Verdict(symbol, seed, ["has the parameters", "keeps the shape"], failure)
    return str(verdict), as_html(verdict)


def grade(submission: str, stem: str, symbol: str, status: Status, seed: int = 123, printed: str = "", **more) -> Grade:
    """One, with a card where there is one."""
    text, card = f"✔ {symbol}", as_html(Verdict(symbol, seed, ["keeps the shape", "agrees"]))
    check = more.pop("check", "the output agrees with the reference's" if status == "fail" else "")
    if status == "fail":
        text, card = card_of(symbol, more.get("misconception", ""), seed, printed)
    elif status != "pass":
        text, card = "", ""
    points = points_for(status, 2.0)
    return Grade(submission, stem, symbol, status, points, 2.0, check, seed=seed, said=text, card=card, **more)


def made_up_class(n: int, seed: int = 0, stems: str = "ch") -> list[SubmissionGrades]:
    """n submissions of all exercises of the chapters whose names begin so; the first is hostile."""
    dice = random.Random(seed)
    asked = [one for one in all_exercises() if one.stem.startswith(stems)]
    return [_submission(number, asked, dice) for number in range(n)]


def _submission(number: int, asked, dice: random.Random) -> SubmissionGrades:
    name = HOSTILE if number == 0 else f"learner_{number:03}"
    ability = dice.random()
    late = {one.stem: dice.random() < 0.02 for one in asked}
    handed_in = {"submitted": 1_790_000_000.0 + 1000 * number}
    grades = [_grade(name, one.stem, one.symbol, ability, dice, late=late[one.stem], **handed_in) for one in asked]
    return SubmissionGrades(
        name,
        grades,
        (Person(f"{dice.choice(NAMES)} {number}", str(number)),) if number else (),
        seconds=sum(one.seconds for one in grades),
        protection="bubblewrap, namespaces, seccomp",
        problems=("ch03_layernorm-Copy1.ipynb is not read.",) if dice.random() < 0.05 else (),
    )


def _grade(name: str, stem: str, symbol: str, ability: float, dice: random.Random, **more) -> Grade:
    weights = [weight * (3 * ability if status == "pass" else 1) for status, weight in WEIGHTS.items()]
    (status,) = dice.choices(list(WEIGHTS), weights)
    return grade(
        name,
        stem,
        symbol,
        status,
        check={"limit": dice.choice(LIMITS), "fail": "the output agrees with the reference's"}.get(status, ""),
        misconception=dice.choice(MISCONCEPTIONS) if status == "fail" else "",
        seconds=0.03 + 0.05 * dice.random() + (2.0 if status == "limit" else 0.0),
        printed=HOSTILE if name == HOSTILE else "hello",
        shape=f"{dice.choice((20, 90))}:{dice.randrange(150)}" if status in ("pass", "fail") else "",
        notes=("defined twice, in cells 4 and 9: the last counts",) if dice.random() < 0.05 else (),
        **more,
    )
