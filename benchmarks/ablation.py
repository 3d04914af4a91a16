"""What each part of a diagnosis is there for: `python benchmarks/ablation.py INTO [ANSWERS ...] [--repairs] [--off]`.

Judges the wrong answers of benchmarks/wrong_answers/, and those in the folders ANSWERS (a cell a file, whose first line
is a comment, called SYMBOL__NN.py). Of each it writes down in INTO

form      which misconception was named, in which of its forms; `next` the one that is named without this form
second    of two mistakes at once, the other
clue      which of judge/checking/diagnosis/registry.py spoke, and `rule` which of its translations/
silent    both, where they would have spoken had no misconception been named
operators with `--repairs`: those of judge/edits/ that propose the change that mends it

The table says how many of each there are, and how many of them some answer chose; the others are in unchosen.json.
With `--off` these are switched off and all is judged again: whatever card is another then is told.

Who is chosen by no answer is not needless: of the names in 236 answers that nobody had tuned anything on, 28 stood
nowhere in the corpus. A part goes where an unseen set does not miss it either, and no reason stands beside it.

An answer takes about half a second of a core, a search for its repair some more. What is in INTO is not asked again:
delete it after a change of the course.
"""

import argparse
import concurrent.futures
import json
import multiprocessing
import pkgutil
import re
from collections import Counter
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import torch
from diagnosis import asked_of, run_as_a_cell

from judge.checking.answer import Mismatch
from judge.checking.diagnosis import causes, errors, explaining, registry, translations
from judge.checking.evidence import Evidence
from judge.checking.known import Misconception
from judge.checking.verdict import Failure
from judge.edits import operators
from judge.edits.candidates import edits
from judge.edits.operators.proposals import operators_of
from judge.repairing import find_repair, search
from judge.running.children import processors
from utils.course import all_exercises, throwaway_state

KINDS = ("misconceptions", "clues", "rules", "operators")
Found = dict[str, dict[str, Any]]  # what is said of each answer
NAMES: dict[int, str] = {}  # of all parts, which children know too
seen: dict[str, Any] = {}  # of the answer that is being judged


def named_parts() -> dict[str, dict[str, Any]]:
    """All that can be switched off, by kind and name."""
    forms = {
        f"{info.symbol} {number}: {one.name}": one
        for info in all_exercises()
        for number, one in enumerate(asked_of(info)[0].misconceptions)
    }
    clues = {f"{about}: {name_of(one)}": (about, one) for about, some in registry.SENTENCES.items() for one in some}
    # A rule may stand in several lists, and is switched off in all of them at once: it is counted under one name.
    of_rules = {
        id(rule): (f"{module.name}.{name} {number}: {rule.pattern}", rule)
        for module in pkgutil.iter_modules(translations.__path__)
        for name, some in vars(import_module(f"{translations.__name__}.{module.name}")).items()
        if name.endswith("_RULES") and name in of_its_own(module.name)
        for number, rule in enumerate(some)
    }
    rules = dict(of_rules.values())
    proposing = {
        f"{module.name}.{name}": one
        for module in pkgutil.iter_modules(operators.__path__)
        for name, one in operators_of(import_module(f"{operators.__name__}.{module.name}")).items()
        if one in operators.REPAIRING and one.propose.__module__.endswith((module.name, "proposals"))
    }
    return dict(zip(KINDS, (forms, clues, rules, proposing), strict=True))


def called(part: object) -> str | None:
    """The name of a part; None where none was chosen."""
    return NAMES.get(id(part))


def of_its_own(module: str) -> set[str]:
    """The lists of rules that the module makes, and does not import."""
    text = Path(translations.__path__[0], f"{module}.py").read_text(encoding="utf-8")
    return set(re.findall(r"^(\w+_RULES)\b.*? = ", text, re.MULTILINE))


def name_of(clue: Callable[..., object]) -> str:
    return f"{clue.__module__.rpartition('.')[2]}.{clue.__name__}"


def switch_off(kind: str, parts: dict[str, Any], names: set[str]) -> None:
    """Take these away wherever they are looked for."""
    gone = [parts[name] for name in names]
    if kind == "misconceptions":
        for info in all_exercises():
            known = asked_of(info)[0].misconceptions
            known[:] = [one for one in known if not any(one is other for other in gone)]
    if kind == "clues":
        for about, clues in registry.SENTENCES.items():
            registry.SENTENCES[about] = tuple(one for one in clues if (about, one) not in gone)
    if kind == "rules":
        for rules in (translations.RULES, translations.WITHOUT_TENSORS):
            rules[:] = [one for one in rules if not any(one is other for other in gone)]
    if kind == "operators":
        operators.REPAIRING[:] = [one for one in operators.REPAIRING if one not in gone]


def listen() -> None:
    """Note what is chosen while an answer is judged: each of these functions takes the place of the one it asks."""
    cause, two, explains = explaining.known_cause, explaining.one_of_two, causes._explain_all
    speak, explains_error, means = registry.sentence, explaining.explain_error, errors.translate
    whole, look = explaining.explain, search.Search

    def known_cause(trial: Any, *given: Any, **draws: Any) -> Misconception | None:
        found = cause(trial, *given, **draws)
        seen["form"] = found
        if found:  # and who is next
            known = trial.session.exercise.misconceptions
            place = next(place for place, one in enumerate(known) if one is found)
            del known[place]
            seen["next"] = cause(trial, *given, **draws)
            known.insert(place, found)
        return found

    def explain_all(first: Any, second: Any, *given: Any) -> bool:
        found = explains(first, second, *given)
        if found:
            seen["second"] = second.known
        return found

    def one_of_two(*given: Any) -> Misconception | None:
        seen["form"] = found = two(*given)
        return found

    def sentence(evidence: Evidence) -> registry.Sentence | None:
        found = speak(evidence)
        if found:
            seen["clue"] = f"{evidence.about}: {name_of(found.clue)}"
        return found

    def translate(raised: Any) -> str | None:
        text = means(raised)
        rules = translations.RULES if raised.library.has_tensors else translations.WITHOUT_TENSORS
        seen["rule"] = next((rule for rule in rules if text and rule.advice(raised) == text), None)
        return text

    def explain(mismatch: Mismatch) -> Failure:
        failure = whole(mismatch)
        if seen.get("form") and mismatch.evidence:  # nothing more was looked for
            seen["silent"] = silently(mismatch.evidence)
        return failure

    def explain_error(trial: Any, component: Any, record: Any) -> Failure:
        failure = explains_error(trial, component, record)
        if seen.get("form"):
            raised = errors.raised_by(record.error, trial)
            seen["silent"] = silently(Evidence("error", raised, source=raised.line).of(trial, component))
        return failure

    def silently(evidence: Evidence) -> list[Any]:
        seen.pop("rule", None)
        found = speak(evidence)
        return [found and f"{evidence.about}: {name_of(found.clue)}", seen.pop("rule", None)]

    def searching(*given: Any) -> search.Search:
        seen["search"] = found = look(*given)
        return found

    heard: list[tuple[Any, str, Callable[..., Any]]] = [
        (explaining, "known_cause", known_cause),
        (explaining, "one_of_two", one_of_two),
        (explaining, "sentence", sentence),
        (explaining, "explain", explain),
        (explaining, "explain_error", explain_error),
        (causes, "_explain_all", explain_all),
        (errors, "translate", translate),
        (search, "Search", searching),
    ]
    for module, name, function in heard:
        setattr(module, name, function)


def answers(info: Any, folders: list[Path]) -> Iterator[tuple[str, str]]:
    """The name of each answer to the exercise, and its cell; of the corpus also whether a cause is known for it."""
    for number, one in enumerate(asked_of(info)[2]):
        yield f"corpus{'' if one.causes else ', no cause'} {info.symbol} {number:03}", one.cell
    for folder in folders:
        for path in sorted(folder.rglob(f"{info.symbol}__*.py")):
            yield f"{folder.name} {path.stem}", path.read_text(encoding="utf-8")


def judged(info: Any, cell: str, repairs: bool) -> dict[str, Any]:
    """What was said of an answer, and which part said it."""
    exercise, before, _ = asked_of(info)
    seen.clear()
    namespace = dict(before)
    run_as_a_cell(cell, "answer", namespace)
    verdict = exercise.judge(namespace[info.symbol])
    failure = verdict.failure
    found: dict[str, Any] = {"status": verdict.status, "card": str(verdict)}
    if failure is None:
        return found
    found |= {"named": failure.misconception, "advised": bool(failure.advice), "clue": seen.get("clue")}
    found |= {name: called(seen.get(name)) for name in ("form", "next", "second", "rule")}
    silent = seen.get("silent") or [None, None]
    found["silent"] = [silent[0], called(silent[1])]
    if repairs and not failure.misconception:
        repair = find_repair(exercise, verdict, cell, namespace)
        found["repair"] = repair and [repair.line, repair.before, repair.after, repair.places]
        found["operators"] = proposed_by(seen["search"]) if repair else []
    return found


def proposed_by(looked: search.Search) -> list[str]:
    """The operators that propose the edit which was found, or one of its places."""
    found = looked.edits[looked.best.value]
    places = {path for path, _ in found.places}
    tree, words = looked.answer.definitions, looked.vocabulary
    return [
        called(one) or ""
        for one in operators.REPAIRING
        if any(edit.places[0][0] in places and edit.after == found.after for edit in edits(tree, words, [one]))
    ]


def of_exercise(info: Any, given: argparse.Namespace, file: Path) -> Found:
    """What is said of each answer to an exercise: what the file has a line for is not asked again."""
    torch.set_num_threads(1)
    file.parent.mkdir(parents=True, exist_ok=True)
    known: Found = dict(map(json.loads, file.read_text(encoding="utf-8").splitlines())) if file.exists() else {}
    wanted = list(answers(info, given.folders))[:: given.every]
    with file.open("a", encoding="utf-8") as lines:
        for name, cell in wanted:
            if name not in known:
                known[name] = judged(info, cell, given.repairs)
                lines.write(json.dumps([name, known[name]], ensure_ascii=False) + "\n")
                lines.flush()
    return {name: known[name] for name, _ in wanted}


def of_all(given: argparse.Namespace, folder: Path) -> Found:
    """The same of every exercise, dealt out over the processors."""
    found: Found = {}
    context = multiprocessing.get_context("fork")
    with concurrent.futures.ProcessPoolExecutor(given.workers or processors(), mp_context=context) as pool:
        of_each = [pool.submit(of_exercise, info, given, folder / f"{info.symbol}.jsonl") for info in all_exercises()]
        for one in of_each:
            found |= one.result()
    return found


def chosen(found: Found) -> dict[str, Counter[str]]:
    """How many answers chose each part."""
    counts: dict[str, Counter[str]] = {kind: Counter() for kind in KINDS}
    for one in found.values():
        of_each = (
            (one.get("form"), one.get("second")),
            (one.get("clue"),),
            (one.get("rule"),),
            one.get("operators", ()),
        )
        for kind, names in zip(KINDS, of_each, strict=True):
            counts[kind].update(filter(None, names))
    return counts


def of_no_run(card: str) -> str:
    """A card without the numbers that JAX gives its tracers, which are others in each run."""
    return re.sub(r"object id \d+", "object id", card)


def set_of(name: str) -> str:
    """The folder that an answer comes from."""
    return re.split(r"[ ,]", name)[0]


def told(found: Found) -> str:
    """How many of each set have a name or a repair."""
    shares: list[str] = []
    for where in dict.fromkeys(map(set_of, found)):
        wrong = [one for name, one in found.items() if set_of(name) == where and one["status"] == "failed"]
        some = sum(bool(one.get("named") or one.get("repair")) for one in wrong)
        shares.append(f"{where} {some} of {len(wrong)} ({100 * some / max(1, len(wrong)):.1f} %)")
    return ", ".join(shares)


def main() -> None:
    """Judge what is not judged yet, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("into", type=Path, metavar="INTO", help="a folder for what is said of each answer")
    parser.add_argument("folders", type=Path, nargs="*", metavar="ANSWERS", help="more answers, one cell a file")
    parser.add_argument("--every", type=int, default=1, metavar="K", help="of an exercise's answers each K-th alone")
    parser.add_argument("--repairs", action="store_true", help="look for repairs where no misconception is named")
    parser.add_argument("--off", action="store_true", help="judge again with what no answer chose switched off")
    parser.add_argument("--workers", type=int, metavar="N", help="processes; without it one for each processor")
    given = parser.parse_args()
    with throwaway_state():
        parts = named_parts()
        NAMES.update((id(part), name) for some in parts.values() for name, part in some.items())
        listen()
        found = of_all(given, given.into / "all")
        counts = chosen(found)
        unchosen = {kind: [name for name in parts[kind] if not counts[kind][name]] for kind in KINDS}
        (given.into / "unchosen.json").write_text(json.dumps(unchosen, ensure_ascii=False, indent=1), encoding="utf-8")
        for kind in KINDS:
            print(f"{kind:16}{len(parts[kind]):6}, chosen{len(parts[kind]) - len(unchosen[kind]):6}")
        print(f"told: {told(found)}")
        if not given.off:
            return
        for kind in KINDS:
            switch_off(kind, parts[kind], set(unchosen[kind]))
        without = of_all(given, given.into / "without")
        print(f"told with what was not chosen switched off: {told(without)}")
        for name, one in found.items():
            if of_no_run(one["card"]) != of_no_run(without[name]["card"]):
                print(f"another card: {name}")


if __name__ == "__main__":
    main()
