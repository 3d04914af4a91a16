"""How beam_search goes wrong, and right answers that look different."""

import heapq
import itertools
import math

import torch

from tests.ch08_sampling import continued, searching


@searching.correct
@torch.no_grad()
def all_beams_at_once(model, tokens, max_new_tokens, num_beams):
    texts, scores = tokens[None], torch.zeros(1, dtype=torch.double)
    for _ in range(max_new_tokens):
        logits = model(texts[:, -model.cfg.n_ctx :])[:, -1].double()
        total = scores[:, None] + logits - logits.logsumexp(-1, keepdim=True)
        scores, where = total.flatten().topk(min(num_beams, total.numel()))
        texts = torch.cat([texts[where // total.shape[1]], (where % total.shape[1])[:, None]], dim=1)
    return [(score.item(), text) for score, text in zip(scores, texts, strict=True)]


@searching.correct
def every_continuation_of_every_beam(model, tokens, max_new_tokens, num_beams):
    beams = {tuple(tokens.tolist()): 0.0}
    for _ in range(max_new_tokens):
        grown = {}
        for text, score in beams.items():
            probabilities = model(torch.tensor([text[-model.cfg.n_ctx :]]))[0, -1].softmax(-1).tolist()
            grown |= {(*text, new): score + math.log(chance) for new, chance in enumerate(probabilities)}
        beams = {text: grown[text] for text in sorted(grown, key=grown.get, reverse=True)[:num_beams]}
    return [(score, torch.tensor(text)) for text, score in beams.items()]


@searching.correct
def with_a_heap(model, tokens, max_new_tokens, num_beams):
    beams = [(0.0, tokens)]
    for _ in range(max_new_tokens):
        longer = ((score + more, text) for score, one in beams for more, text in continued(model, one))
        beams = heapq.nlargest(num_beams, longer, key=lambda beam: beam[0])
    return beams


@searching.correct
def step_by_step_by_recursion(model, tokens, max_new_tokens, num_beams):
    if max_new_tokens == 0:
        return [(0.0, tokens)]
    shorter = step_by_step_by_recursion(model, tokens, max_new_tokens - 1, num_beams)
    longer = [(score + more, text) for score, one in shorter for more, text in continued(model, one)]
    order = torch.tensor([score for score, _ in longer]).argsort(descending=True)
    return [longer[int(index)] for index in order[:num_beams]]


def beams_by(
    score=lambda logits: logits.log_softmax(-1),
    added=lambda old, new: old + new,
    rank=lambda score, text: score,
    from_each=min,
    best=lambda scores, amount: scores.topk(amount),
    position=-1,
    pruned=lambda longer, rank, num_beams, last: sorted(longer, key=rank, reverse=True)[:num_beams],
    crop=lambda text, n_ctx: text[-n_ctx:],
    joined=lambda text, new: torch.cat([text, new]),
    first=lambda tokens, num_beams: [(0.0, tokens)],
    grown=slice(None),
    more=0,
    answer=lambda beams, prompt: beams,
):
    """Beam search with one part of it replaced."""

    @torch.no_grad()
    def beam_search(model, tokens, max_new_tokens, num_beams):
        beams = first(tokens, num_beams)
        for step in range(max_new_tokens + more):
            longer = []
            for old, text in beams[grown]:
                scores = score(model(crop(text, model.cfg.n_ctx)[None])[0, position])
                highest, where = best(scores, from_each(num_beams, len(scores)))
                texts = [joined(text, new[None]) for new in where]
                longer += [(added(old, float(new)), text) for new, text in zip(highest, texts, strict=True)]
            last = step == max_new_tokens + more - 1
            beams = pruned(longer, lambda beam: rank(*beam), num_beams, last)
        return answer(beams, tokens)

    return beam_search


def best_of_each_beam(longer, rank, num_beams, last):
    """Of the children of each beam the best alone; at the first step all of them."""
    by_parent = {}
    for beam in longer:
        by_parent.setdefault(tuple(beam[1][:-1].tolist()), []).append(beam)
    if len(by_parent) > 1:
        longer = [max(children, key=rank) for children in by_parent.values()]
    return sorted(longer, key=rank, reverse=True)[:num_beams]


def best_drawn(scores, amount):
    where = torch.multinomial(scores.exp(), amount)
    return scores[where], where


def best_of_each_ending(longer, rank, num_beams, last):
    """Of the texts that end in the same token the best alone."""
    by_ending = {}
    for beam in sorted(longer, key=rank, reverse=True):
        by_ending.setdefault(int(beam[1][-1]), beam)
    return list(by_ending.values())[:num_beams]


def best_by_shares_of_their_own(scores, amount):
    """The best of the logits, and a softmax over these alone."""
    best = scores.topk(amount)
    return best.values.log_softmax(-1), best.indices


def reaching_the_last_kept(longer, rank, num_beams, last):
    """The best, in the order of their parents."""
    needed = sorted(map(rank, longer), reverse=True)[:num_beams][-1]
    return [beam for beam in longer if rank(beam) >= needed]


def rank_for_token(scores, amount):
    return scores.topk(amount).values, torch.arange(amount)


def first_tokens(scores, amount):
    return scores[:amount], torch.arange(amount)


def in_one_loop(running=(), kept=False, emptied=False, cut=False, staying=False):
    """Beam search in which a variable of the loops is not made anew where it should be, or is where it should not."""

    @torch.no_grad()
    def beam_search(model, tokens, max_new_tokens, num_beams):
        beams, longer = [(0.0, tokens)], []
        for _ in range(max_new_tokens):
            longer = longer if kept else []
            for score, text in beams:
                longer = [] if emptied else longer
                text = text[-model.cfg.n_ctx :] if cut else text
                for more, one in sorted(continued(model, text), key=lambda pair: -pair[0])[:num_beams]:
                    new = (score + more, torch.cat([text, one[-1:]]))
                    longer.append(new)
                    score, text = new[0] if "score" in running else score, new[1] if "text" in running else text
            beams = [*beams] if staying else []
            beams += sorted(longer, key=lambda beam: beam[0], reverse=True)[:num_beams]
        return beams

    return beam_search


def as_ranked(scores, log_probs, parents, new, best):
    return best


def of_the_parents(scores, log_probs, parents, new, best):
    return scores[parents] + log_probs[parents, new]


def of_the_rows(scores, log_probs, parents, new, best):
    return each_to_its_row(scores, parents) + log_probs[parents, new]


def each_to_its_row(rows, parents):
    """The rows as they are, whoever the parents were; while there is one only, that one for all."""
    return rows if len(rows) > 1 else rows.expand(len(parents), *rows.shape[1:])


def in_the_order_of_rows(texts, parents):
    return texts[torch.arange(len(parents)).clamp(max=len(texts) - 1)]


def in_the_order_of_rows_once_all_are_there(texts, parents):
    return texts if len(texts) == len(parents) else texts[parents]


def swapped_places(places, d_vocab, num_beams, n_beams):
    return places % n_beams, places // n_beams


def places_by_beams(places, d_vocab, num_beams, n_beams):
    return (places // num_beams).clamp(max=n_beams - 1), places % d_vocab


def places_beyond_the_beams(places, d_vocab, num_beams, n_beams):
    return places // num_beams, places % d_vocab


def tokens_by_beams(places, d_vocab, num_beams, n_beams):
    return places // d_vocab, places % num_beams


def at_once_by(
    score=lambda logits: logits.log_softmax(-1),
    rank=lambda old, new: old + new,
    where=lambda places, d_vocab, num_beams, n_beams: (places // d_vocab, places % d_vocab),
    behind=lambda texts, parents: texts[parents],
    total=as_ranked,
):
    """Beam search on all beams at once, with one part of it replaced."""

    @torch.no_grad()
    def beam_search(model, tokens, max_new_tokens, num_beams):
        texts, scores = tokens[None], torch.zeros(1)
        for _ in range(max_new_tokens):
            log_probs = score(model(texts[:, -model.cfg.n_ctx :])[:, -1])
            ranked = rank(scores[:, None], log_probs)
            best, places = (one[:num_beams] for one in ranked.flatten().sort(descending=True, stable=True))
            parents, new = where(places, log_probs.shape[1], num_beams, len(texts))
            scores = total(scores, log_probs, parents, new, best)
            texts = torch.cat([behind(texts, parents), new[:, None]], dim=1)
        return [(float(score), text) for score, text in zip(scores, texts, strict=True)]

    return beam_search


searching.misconception(
    "sorting by the texts too",
    "Of two equal scores Python compares the texts, and can't: sort by the score alone, `key=lambda beam: beam[0]`.",
)(beams_by(pruned=lambda longer, rank, num_beams, last: sorted(longer, reverse=True)[:num_beams]))
searching.misconception(
    "one text of those with the same score",
    "Two texts may be equally likely, and a dict keeps one of them: keep pairs in a list.",
)(
    beams_by(
        pruned=lambda longer, rank, num_beams, last: sorted(dict(longer).items(), key=rank, reverse=True)[:num_beams]
    )
)
searching.misconception("the worst text first", "The best comes first: sort with `reverse=True`.")(
    beams_by(answer=lambda beams, prompt: beams[::-1])
)
searching.misconception("keeping the worst texts", "The best beams have the highest scores: sort with `reverse=True`.")(
    beams_by(pruned=lambda longer, rank, num_beams, last: sorted(longer, key=rank)[:num_beams])
)
searching.also("keeping the worst texts")(
    beams_by(
        from_each=lambda num_beams, d_vocab: d_vocab,
        pruned=lambda longer, rank, num_beams, last: sorted(longer, key=rank)[:num_beams],
    )
)
searching.misconception(
    "the mean of the log-probabilities",
    "A score is the sum of the new tokens' log-probabilities, and these are means: return the sum.",
)(beams_by(answer=lambda beams, prompt: [(score / (len(text) - len(prompt)), text) for score, text in beams]))
searching.also("the mean of the log-probabilities")(
    beams_by(answer=lambda beams, prompt: [(score / len(text), text) for score, text in beams])
)
searching.misconception(
    "probabilities for scores",
    "A score is a sum of log-probabilities: add up those of `log_softmax`, and leave it at that.",
)(beams_by(answer=lambda beams, prompt: [(math.exp(score), text) for score, text in beams]))
searching.misconception("scores as tensors", "A score is a float: `float(...)`.")(
    beams_by(answer=lambda beams, prompt: [(torch.tensor(score), text) for score, text in beams])
)
searching.misconception("texts before scores", "A beam is (score, tokens).")(
    beams_by(answer=lambda beams, prompt: [(text, score) for score, text in beams])
)
searching.also("texts before scores")(
    beams_by(answer=lambda beams, prompt: [(text, torch.tensor(score)) for score, text in beams])
)
searching.misconception(
    "texts without their scores", "Each item is a pair, (score, text): answer the beams as they are."
)(beams_by(answer=lambda beams, prompt: [text for _, text in beams]))
searching.misconception("lists for pairs", "Each item is a tuple: `(score, text)`, in round brackets.")(
    beams_by(answer=lambda beams, prompt: [[score, text] for score, text in beams])
)
searching.misconception("two lists", "It is one list of pairs: `list(zip(scores, texts))`.")(
    beams_by(answer=lambda beams, prompt: tuple(map(list, zip(*beams, strict=True))))
)
searching.misconception("the best text alone", "Answer all `num_beams` texts, each with its score.")(
    beams_by(answer=lambda beams, prompt: beams[:1])
)
searching.also("the best text alone")(beams_by(answer=lambda beams, prompt: beams[0]))
searching.also("the best text alone")(beams_by(answer=lambda beams, prompt: beams[0][1]))
searching.misconception(
    "costs for scores",
    "A score is a log-probability, below 0, and these are above: add up what `log_softmax` gives, with its sign.",
)(beams_by(answer=lambda beams, prompt: [(-score, text) for score, text in beams]))
searching.misconception(
    "a batch axis that stays", "The model reads [batch pos], a beam's text is [all_pos]: `text[0]`."
)(beams_by(answer=lambda beams, prompt: [(score, text[None]) for score, text in beams]))
searching.also("two lists")(
    beams_by(
        answer=lambda beams, prompt: (
            torch.tensor([score for score, _ in beams]),
            torch.stack([text for _, text in beams]),
        )
    )
)
searching.misconception("scores without their texts", "Each item is a pair, `(score, text)`: keep both together.")(
    beams_by(answer=lambda beams, prompt: [score for score, _ in beams])
)
searching.misconception("the prompt twice", "A beam starts as the prompt and grows: its text is complete.")(
    beams_by(answer=lambda beams, prompt: [(score, torch.cat([prompt, text])) for score, text in beams])
)
searching.misconception("texts as lists", "A text is a tensor: `torch.tensor(...)`, or `torch.cat` all the way.")(
    beams_by(answer=lambda beams, prompt: [(score, text.tolist()) for score, text in beams])
)
searching.misconception("the new tokens alone", "Each text has the prompt in front.")(
    beams_by(answer=lambda beams, prompt: [(score, text[len(prompt) :]) for score, text in beams])
)
searching.misconception(
    "summed logits", "Logits of different texts can't be compared: take `log_softmax` of them first."
)(beams_by(score=lambda logits: logits))
searching.misconception(
    "multiplied log-probabilities", "Probabilities are multiplied; their logarithms are added: `score + more`."
)(beams_by(first=lambda tokens, num_beams: [(1.0, tokens)], added=lambda old, new: old * new))
searching.also("multiplied log-probabilities")(beams_by(added=lambda old, new: old * new))
searching.misconception(
    "a softmax over the best tokens alone",
    "All tokens of the vocabulary share the probability: `log_softmax` of all logits first, then `topk`.",
)(beams_by(score=lambda logits: logits, best=best_by_shares_of_their_own))
searching.misconception("summed probabilities", "Probabilities are multiplied, so their logarithms are summed.")(
    beams_by(score=lambda logits: logits.softmax(-1))
)
searching.misconception(
    "the log-probability of the last token alone", "The score of a text is the sum over all its new tokens."
)(beams_by(added=lambda old, new: new))
searching.misconception(
    "one continuation of each beam",
    "Two of the best texts may share their beginning: compare all continuations of all beams.",
)(beams_by(pruned=best_of_each_beam))
searching.also("one continuation of each beam")(beams_by(from_each=lambda num_beams, d_vocab: 1))
searching.misconception(
    "going on with the best beam alone",
    "Every beam is continued, `for score, text in beams`, and all their continuations are sorted before they are cut: "
    "unsorted, the first `num_beams` of them are all the best beam's.",
)(beams_by(grown=slice(1)))
searching.misconception(
    "no pruning before the end", "After each step only the `num_beams` best texts go on; the others are forgotten."
)(
    beams_by(
        pruned=lambda longer, rank, num_beams, last: sorted(longer, key=rank, reverse=True)[
            : num_beams if last else None
        ]
    )
)
searching.also("no pruning before the end")(
    beams_by(pruned=lambda longer, rank, num_beams, last: sorted(longer, key=rank, reverse=True))
)
searching.misconception(
    "no pruning at the end", "The texts of the last step are too many as well: the `num_beams` best are the answer."
)(
    beams_by(
        pruned=lambda longer, rank, num_beams, last: sorted(longer, key=rank, reverse=True)[
            : None if last else num_beams
        ]
    )
)
searching.misconception(
    "continuations that are not sorted",
    "Sort those of all beams together, by score, the best first, and keep the first `num_beams`.",
)(beams_by(pruned=lambda longer, rank, num_beams, last: longer[:num_beams]))
searching.also("continuations that are not sorted")(beams_by(pruned=reaching_the_last_kept))
searching.misconception(
    "the continuations of the last beam alone",
    "Only the last beam's continuations are left: gather those of all beams in one list, which is made once in "
    "each step, before the loop over them.",
)(in_one_loop(emptied=True))
searching.misconception(
    "beams of earlier steps that stay",
    "The longer texts take the place of the old beams, and do not join them: `beams = ...`.",
)(in_one_loop(staying=True))
searching.misconception(
    "the rank instead of the token",
    "A rank says which of the best it is, not which token: add what `topk` gives as indices.",
)(beams_by(best=rank_for_token))
searching.misconception(
    "the first tokens of the vocabulary",
    "Tokens 0, 1, 2 and so on are not the likeliest: the indices that `topk` gives say which these are.",
)(beams_by(best=first_tokens))
searching.misconception(
    "continuations of earlier steps", "Only texts of one length are compared: make the list anew in each step."
)(in_one_loop(kept=True))
searching.misconception(
    "a score that runs on from one continuation to the next",
    "A continuation's score is its beam's own and one log-probability more. Here it holds those of the continuations "
    "before it too: leave `score` as the beam has it.",
)(in_one_loop(running=("score",)))
searching.misconception(
    "a text that runs on from one continuation to the next",
    "A continuation is its beam's own text and one token more. Here it holds those of the continuations before it "
    "too: leave `text` as the beam has it.",
)(in_one_loop(running=("text",)))
searching.also("a text that runs on from one continuation to the next")(in_one_loop(running=("score", "text")))


@searching.misconception(
    "one list for all continuations of a beam",
    "All continuations of a beam are one and the same text: make a new one for each, `text + [token]`. (A list's "
    "`append` changes what the others hold too.)",
)
@torch.no_grad()
def growing_one_list(model, tokens, max_new_tokens, num_beams):
    beams = [(0.0, tokens.tolist())]
    for _ in range(max_new_tokens):
        longer = []
        for score, text in beams:
            log_probs = model(torch.tensor([text[-model.cfg.n_ctx :]]))[0, -1].log_softmax(-1)
            best, new = log_probs.topk(min(num_beams, len(log_probs)))
            for more, token in zip(best.tolist(), new.tolist(), strict=True):
                text.append(token)
                longer.append((score + more, text))
        beams = sorted(longer, key=lambda beam: beam[0], reverse=True)[:num_beams]
    return [(score, torch.tensor(text)) for score, text in beams]


searching.misconception(
    "cutting the text itself", "Crop a copy for the model, and keep the beam's text whole: it is in the answer."
)(in_one_loop(cut=True))
searching.misconception("the new token in front of the text", "It comes last: `torch.cat([text, token[None]])`.")(
    beams_by(joined=lambda text, new: torch.cat([new, text]))
)
searching.misconception("a beam more than `num_beams`", "Keep `num_beams`: `sorted(...)[:num_beams]`.")(
    beams_by(pruned=lambda longer, rank, num_beams, last: sorted(longer, key=rank, reverse=True)[: num_beams + 1])
)
searching.misconception("a beam less than `num_beams`", "Keep all `num_beams`: `sorted(...)[:num_beams]`.")(
    beams_by(
        pruned=lambda longer, rank, num_beams, last: sorted(longer, key=rank, reverse=True)[: max(1, num_beams - 1)]
    )
)
searching.misconception(
    "one text for each last token",
    "Texts that end in the same token are different texts all the same: keep the best, whatever they end in.",
)(beams_by(pruned=best_of_each_ending))
searching.misconception(
    "ranking by the last token's log-probability",
    "What decides is the score of the whole text: sort by the sum, the old score and the new token's together.",
)(at_once_by(rank=lambda old, new: 0 * old + new, total=of_the_parents))
searching.misconception(
    "tokens behind the texts of other beams",
    "A beam is continued from its own parent: of place `i` among all continuations, that is text `i // d_vocab`, and "
    "the token is `i % d_vocab`.",
)(at_once_by(behind=in_the_order_of_rows))
searching.also("tokens behind the texts of other beams")(at_once_by(behind=each_to_its_row))
searching.also("tokens behind the texts of other beams")(at_once_by(behind=in_the_order_of_rows_once_all_are_there))
searching.also("tokens behind the texts of other beams")(at_once_by(where=places_beyond_the_beams))
searching.also("tokens behind the texts of other beams")(at_once_by(where=tokens_by_beams))
searching.also("tokens behind the texts of other beams")(at_once_by(behind=in_the_order_of_rows, total=of_the_rows))
for places, total in itertools.product((swapped_places, places_by_beams), (of_the_parents, as_ranked)):
    searching.also("tokens behind the texts of other beams")(at_once_by(where=places, total=total))
searching.misconception(
    "a score added to that of another beam", "Add the log-probability to its parent's score: `scores[parents]`."
)(at_once_by(total=of_the_rows))
searching.misconception(
    "`log_softmax` over the beams", "Each beam's probabilities add up to 1: `log_softmax(dim=-1)`, over the vocabulary."
)(at_once_by(score=lambda logits: logits.log_softmax(0)))
searching.misconception(
    "drawing tokens", "Nothing is drawn here: take the likeliest tokens of each beam, `log_probs.topk(...)`."
)(beams_by(best=best_drawn))


@searching.misconception(
    "the prompt's log-probability in the score", "Only the new tokens count: the score of the prompt is 0."
)
@torch.no_grad()
def with_the_prompt(model, tokens, max_new_tokens, num_beams):
    window = tokens[-model.cfg.n_ctx :]
    given = model(window[None])[0, :-1].log_softmax(-1).gather(-1, window[1:, None]).sum()
    return [(score + float(given), text) for score, text in beams_by()(model, tokens, max_new_tokens, num_beams)]


searching.misconception(
    "a token more than `max_new_tokens`", "The loop runs `max_new_tokens` times: `for _ in range(max_new_tokens)`."
)(beams_by(more=1))
searching.misconception(
    "a token less than `max_new_tokens`", "Each step adds one token, so it takes all `max_new_tokens` steps."
)(beams_by(more=-1))
searching.misconception("scores that start at 1", "Logarithms are added, and a sum starts at 0: `[(0.0, tokens)]`.")(
    beams_by(first=lambda tokens, num_beams: [(1.0, tokens)])
)
searching.misconception(
    "starting with copies of the prompt", "They all grow the same way. Start with one beam: `[(0.0, tokens)]`."
)(beams_by(first=lambda tokens, num_beams: [(0.0, tokens)] * num_beams))
searching.misconception(
    "two continuations of each beam", "Each beam may have up to `num_beams` texts among the best: take as many."
)(beams_by(from_each=lambda num_beams, d_vocab: 2))
searching.misconception(
    "asking for more tokens than there are",
    "There may be more beams than tokens, and `topk` can't give more than there are: `topk(min(num_beams, d_vocab))`.",
)(beams_by(from_each=lambda num_beams, d_vocab: num_beams))


@searching.misconception(
    "never more beams than tokens",
    "There are no more beams than tokens. That holds for what `topk` gives for one text; of the longer texts "
    "there are more: keep `num_beams`.",
)
def capped_by_the_vocabulary(model, tokens, max_new_tokens, num_beams):
    return beams_by()(model, tokens, max_new_tokens, min(num_beams, model.cfg.d_vocab))


searching.misconception(
    "the logits of the first position", "What follows a text stands at its last position: `[0, -1]`."
)(beams_by(position=0))
searching.misconception(
    "the logits of the last position but one",
    "Position -2 says what comes at -1, which is there already. What is new follows the last one: `[0, -1]`.",
)(beams_by(position=-2))
searching.misconception(
    "the mean over all positions", "Only the last position has read the whole text: take its logits, `[0, -1]`."
)(beams_by(position=slice(None), score=lambda logits: logits.mean(0).log_softmax(-1)))
searching.misconception(
    "`log_softmax` over the positions",
    "The probabilities of one position's tokens add up to 1: `log_softmax(dim=-1)`, the axis of the vocabulary.",
)(beams_by(position=slice(None), score=lambda logits: logits.log_softmax(0)[-1]))
searching.misconception(
    "`softmax` before `log_softmax`", "That is a softmax of a softmax: hand the logits themselves to `log_softmax`."
)(beams_by(score=lambda logits: logits.softmax(-1).log_softmax(-1)))
searching.misconception("logarithms to another base", "Log-probabilities are natural logarithms: `log_softmax`.")(
    beams_by(score=lambda logits: logits.softmax(-1).log2())
)
searching.also("logarithms to another base")(beams_by(score=lambda logits: logits.softmax(-1).log10()))
searching.misconception(
    "a text that is never cropped", "The model reads `n_ctx` tokens at most: give it `text[-model.cfg.n_ctx:]`."
)(beams_by(crop=lambda text, n_ctx: text))
searching.misconception("a window that is shorter than `n_ctx`", "The model can read `n_ctx` tokens: `text[-n_ctx:]`.")(
    beams_by(crop=lambda text, n_ctx: text[-max(1, n_ctx - 1) :])
)
searching.misconception("reading the new token alone", "The model has to read the whole text again for each token.")(
    beams_by(crop=lambda text, n_ctx: text[-1:])
)
searching.misconception("cropping to the first tokens", "The next token follows the last ones: `text[-n_ctx:]`.")(
    beams_by(crop=lambda text, n_ctx: text[:n_ctx])
)
searching.misconception("the prompt for every step", "Each beam is read with the tokens that were added to it.")(
    beams_by(crop=lambda text, n_ctx: text[:1])
)


AS_LONG = "`topk` gives as many values as tokens."
searching.equivalent("0 → -1", "The model answers with one text, which is also the last.")
searching.equivalent("-1 → 0", "The logits of one position have one axis, which is the first and the last.")
searching.equivalent("0 → -2", "A beam is a pair, whose first part is also the last but one.")
searching.equivalent("zip(best, next_tokens, strict=True) → zip(best, next_tokens)", AS_LONG)
searching.equivalent("True → False", AS_LONG)


@searching.also("tokens behind the texts of other beams")
@torch.no_grad()
def places_split_by_the_beams(model, tokens, max_new_tokens, num_beams):
    texts, scores = tokens[None], torch.zeros(1)
    for _ in range(max_new_tokens):
        total = scores[:, None] + model(texts[:, -model.cfg.n_ctx :])[:, -1].log_softmax(-1)
        scores, where = total.flatten().topk(min(num_beams, total.numel()))
        texts = torch.cat([texts[where // num_beams], (where % num_beams)[:, None]], dim=1)
    return [(score.item(), text) for score, text in zip(scores, texts, strict=True)]


@searching.also("tokens behind the texts of other beams")
@torch.no_grad()
def places_dealt_out_to_the_texts(model, tokens, max_new_tokens, num_beams):
    texts, scores = tokens[None], torch.zeros(1)
    for _ in range(max_new_tokens):
        total = scores[:, None] + model(texts[:, -model.cfg.n_ctx :])[:, -1].log_softmax(-1)
        scores, where = total.flatten().topk(min(num_beams, total.numel()))
        texts = torch.cat([texts[where % len(texts)], (where % total.shape[1])[:, None]], dim=1)
    return [(score.item(), text) for score, text in zip(scores, texts, strict=True)]


searching.misconception(
    "texts cut off before they are sorted",
    "Sort all continuations of all beams first: the `num_beams` best are the first of the sorted.",
)(
    searching.changed(
        "sorted(longer, key=lambda beam: beam[0], reverse=True)[:num_beams]",
        "sorted(longer[:num_beams], key=lambda beam: beam[0], reverse=True)",
    )
)


@searching.misconception(
    "texts chosen by their last token alone",
    "The texts that are kept are those of the largest sums: choose by the score of the whole text, the last token's "
    "log-probability added to those before it.",
)
@torch.no_grad()
def by_the_last_token(model, tokens, max_new_tokens, num_beams):
    beams = [(0.0, tokens)]
    for _ in range(max_new_tokens):
        longer = []
        for score, text in beams:
            log_probs = model(text[None, -model.cfg.n_ctx :])[0, -1].log_softmax(-1)
            longer += [(more, score + more, token, text) for token, more in enumerate(log_probs.tolist())]
        longer.sort(key=lambda one: one[0], reverse=True)
        beams = [(score, torch.cat([text, torch.tensor([token])])) for _, score, token, text in longer[:num_beams]]
    return sorted(beams, key=lambda beam: beam[0], reverse=True)
