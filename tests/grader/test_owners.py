"""grader.owners: submissions get their people, nobody is dropped, and what may be somebody else's is said."""

from datetime import UTC, datetime

import pytest

from grader.grades import Grade, Person, SubmissionGrades, mark_late
from grader.owners import Roster, is_open, match
from grader.roster import Entry

ADA = Person("Ada Lovelace", "2301", login="ada", email="ada@example.org")
BOB = Person("O'Neil, Bob", "77")
GRACE = Person("Grace Hopper", email="grace@example.org")
JOSE = Person("José Álvarez", "4712")
EMMY = Person("Emmy Noether", "2", "S2")
LUKASZ = Person("Łukasz Ørsted", "8")
CLASS = [Entry(one) for one in (ADA, BOB, GRACE, JOSE, EMMY, LUKASZ)]


def owner(name, *said, entries=CLASS):
    return Roster(entries).owner_of(name, said)


@pytest.mark.parametrize(
    ("name", "said", "person"),
    [
        ("Ada Lovelace_4712", ["Ada Lovelace"], ADA),  # Moodle's number is no ID
        ("lovelaceada_2301", ["2301"], ADA),
        ("lovelaceada_9", ["9"], ADA),
        ("oneilbob_77", [], BOB),
        ("ada_2", [], ADA),  # a copy, or a second try: Emmy's ID is no part of it
        ("ADA", [], ADA),
        ("ada@example.org", [], ADA),
        ("LovelaceAda", [], ADA),
        ("2301", [], ADA),
        ("submission_9", ["grace@example.org"], GRACE),
        ("submission_9", ["Bob O'Neil"], BOB),
        ("Jose\u0301 A\u0301lvarez_12", ["Jose\u0301 A\u0301lvarez"], JOSE),
        ("alvarezjose_4712", [], JOSE),
        ("marriedname_2301", ["2301"], ADA),
        ("Łukasz Ørsted", [], LUKASZ),
        ("lukasz_orsted", [], LUKASZ),
    ],
)
def test_a_person_is_found(name, said, person):
    assert owner(name, *said).people == (person,)


@pytest.mark.parametrize(
    ("name", "possible"), [("somebody", ()), ("homework_2", (EMMY,)), ("lab_77", (BOB,)), ("adam", ())]
)
def test_a_number_alone_is_nobodys(name, possible):
    found = owner(name)
    assert (found.people, found.possible) == ((), possible)


TEAMS = [
    Entry(Person("Ada Lovelace", section="Group A")),
    Entry(Person("Lovelace, Grace", section="Mondays; Group B-1")),
    Entry(Person("Jean-Luc Picard")),
    Entry(Person("Luc Picard")),
    Entry(Person("Eve Moor"), ("Solo",)),
]


@pytest.mark.parametrize(
    ("said", "name"),
    [
        ("Group A-Ada Lovelace", "Ada Lovelace"),
        ("Group B-1-Grace Lovelace", "Lovelace, Grace"),
        ("Team 7-Ada Lovelace", "Ada Lovelace"),
        ("Lab-1-Jean-Luc Picard", "Jean-Luc Picard"),
        ("Default group-Luc Picard", "Luc Picard"),
        ("Solo-Eve Moor", "Eve Moor"),
        ("Jean-Luc Picard", "Jean-Luc Picard"),
    ],
)
def test_where_groups_hand_in_it_is_whose_name_stands_behind_the_groups(said, name):
    found = owner(f"{said}_4711", said, entries=TEAMS)
    assert [one.name for one in found.people] == [name] and not found.possible


@pytest.mark.parametrize(
    ("said", "possible"),
    [
        ("Pierre-Luc Picard", ["Luc Picard"]),  # another person, or of a group Pierre
        ("Blue-Jean-Luc Picard", ["Jean-Luc Picard", "Luc Picard"]),
        ("Team 7-Bob Hill", []),
    ],
)
def test_behind_what_may_be_a_name_too_it_is_asked(said, possible):
    found = owner(f"{said}_4711", said, entries=TEAMS)
    assert [one.name for one in found.possible] == possible and not found.people
    assert is_open(found) == bool(possible)


def test_a_submission_that_is_called_like_a_group_may_be_theirs():
    of_group = [Entry(Person(f"Ada {number}", section="Group A")) for number in range(9)]
    assert owner("group_a", entries=of_group[:2]).possible == (of_group[0].person, of_group[1].person)
    assert not owner("group_a", entries=of_group[:2]).people  # the roster's `submission` says so, nothing else
    assert not owner("group_a", entries=of_group).possible and not owner("group_b", entries=of_group).possible


def test_names_in_the_roster_count_before_patterns_and_those_before_all_else():
    entries = [Entry(ADA, ("c*",)), Entry(BOB, ("Case",)), Entry(GRACE)]
    assert owner("case", entries=entries).people == (BOB,)
    assert owner("cat", "Grace Hopper", entries=entries).people == (ADA,)


def test_a_group_has_one_submission():
    entries = [Entry(ADA, ("team1",)), Entry(GRACE, ("team1",)), Entry(BOB, ("team2*",)), Entry(EMMY, ("team2*",))]
    assert owner("team1", entries=entries).people == (ADA, GRACE)
    assert owner("team2_final", entries=entries).people == (BOB, EMMY)
    assert owner("submission_1", ADA.email, GRACE.email).people == (ADA, GRACE)


def test_what_may_be_of_several_is_nobodys_yet():
    other = Person("Ada Lovelace", "2302")
    entries = [Entry(ADA, ("a*",)), Entry(BOB, ("*b",)), Entry(other)]
    assert owner("ab", entries=entries).possible == (ADA, BOB) and not owner("ab", entries=entries).people
    entries = [Entry(ADA), Entry(other)]
    assert owner("Ada Lovelace_1", "Ada Lovelace", entries=entries).possible == (ADA, other)
    assert owner("lovelaceada_2302", entries=entries).people == (other,)
    (said,) = match([SubmissionGrades("Ada Lovelace")], entries).notes
    assert said == "Ada Lovelace may be of Ada Lovelace (2301), Ada Lovelace (2302): say which in the roster."


def test_a_platforms_id_that_is_anothers_in_the_roster_gives_nobody_the_grade():
    """Canvas's numbers are its own: a roster may have the university's."""
    found = owner("oneilbob_2301", "2301")
    assert (found.people, found.possible) == ((), (ADA, BOB)) and is_open(found)


@pytest.mark.parametrize("file", ["team2.zip", "ch03_layernorm_team2.ipynb", "team2 (1).zip", "team*.zip"])
def test_the_roster_may_name_the_file(file):
    assert owner("team2", entries=[Entry(ADA, (file,)), Entry(BOB, ("team",))]).people == (ADA,)
    assert owner("ab", entries=[Entry(ADA, ("a b",)), Entry(BOB, ("ab (1)",))]).people == ()


def test_submissions_get_their_people_and_nobody_is_dropped():
    graded = [SubmissionGrades(name) for name in ("LovelaceAda_1", "oneilbob_77", "somebody")]
    graded.append(SubmissionGrades("submission_9", people=("grace@example.org",)))
    found = match(graded, CLASS)
    assert [one.owners for one in found.graded] == [(ADA,), (BOB,), (), (GRACE,)]
    assert found.unknown == ["somebody"] and found.absent == [JOSE, EMMY, LUKASZ] and found.notes == []


def test_two_of_one_person_and_one_of_two_are_said():
    found = match([SubmissionGrades(name) for name in ("a1", "a2", "ab")], [Entry(ADA, ("a*",)), Entry(GRACE, ("*b",))])
    assert found.notes == [
        "ab may be of Ada Lovelace, Grace Hopper: say which in the roster.",
        "Ada Lovelace has 2 submissions: a1, a2.",
    ]
    assert found.unknown == ["ab"] and found.absent == [GRACE]


def test_without_a_roster_nobody_is_unknown():
    found = match([SubmissionGrades("a")], [])
    assert (found.unknown, found.absent) == ([], [])


def test_late_ones_are_marked_and_unknown_times_are_said():
    deadline = datetime(2026, 1, 1, tzinfo=UTC)
    at = deadline.timestamp()
    last = handed_in("ch01_x", at), handed_in("ch02_x", at + 1)
    times = [one(last[0]), one(handed_in("ch01_x", at + 1)), one(handed_in("ch01_x", None)), one(last[1])]
    marked = mark_late([*times, one(handed_in("ch01_x", None, late=True))], {"ch01_x": deadline})
    assert [one.late for one in marked] == [False, True, False, False, True], "each chapter by its own"
    (said,) = [one.problems for one in marked if one.problems]
    assert said == ("When ch01_x was handed in is not known, so it is not marked as late.",)
    assert mark_late(times, {}) == times


def one(grade):
    return SubmissionGrades("a", [grade])


def handed_in(stem, submitted, late=False):
    return Grade("a", stem, "f", "pass", 1.0, 1.0, submitted=submitted, late=late)
