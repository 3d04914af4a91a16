"""How beam_search goes wrong, and right answers that look different."""

import heapq
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


def by_score(beam):
    return beam[0]


def beams_by(pruned=lambda longer, num_beams: sorted(longer, key=by_score, reverse=True)[:num_beams]):
    """Beam search with another choice of the texts that go on."""

    @torch.no_grad()
    def beam_search(model, tokens, max_new_tokens, num_beams):
        beams = [(0.0, tokens)]
        for _ in range(max_new_tokens):
            longer = []
            for old, text in beams:
                scores = model(text[None, -model.cfg.n_ctx :])[0, -1].log_softmax(-1)
                best = scores.topk(min(num_beams, len(scores)))
                longer += [(old + float(more), torch.cat([text, new[None]])) for more, new in zip(*best, strict=True)]
            beams = pruned(longer, num_beams)
        return beams

    return beam_search


def best_of_each_beam(longer, num_beams):
    """Of the children of each beam the best alone; at the first step all of them."""
    by_parent = {}
    for beam in longer:
        by_parent.setdefault(tuple(beam[1][:-1].tolist()), []).append(beam)
    if len(by_parent) > 1:
        longer = [max(children, key=by_score) for children in by_parent.values()]
    return sorted(longer, key=by_score, reverse=True)[:num_beams]


def best_of_each_ending(longer, num_beams):
    """Of the texts that end in the same token the best alone."""
    by_ending = {}
    for beam in sorted(longer, key=by_score, reverse=True):
        by_ending.setdefault(int(beam[1][-1]), beam)
    return list(by_ending.values())[:num_beams]


@torch.no_grad()
def at_once(model, tokens, max_new_tokens, num_beams):
    """A right answer, all beams at once, for changes of it."""
    texts, scores = tokens[None], torch.zeros(1)
    for _ in range(max_new_tokens):
        log_probs = model(texts[:, -model.cfg.n_ctx :])[:, -1].log_softmax(-1)
        ranked = scores[:, None] + log_probs
        n_beams, d_vocab = ranked.shape
        best, places = (one[:num_beams] for one in ranked.view(n_beams * d_vocab).sort(descending=True, stable=True))
        parents, new = places // d_vocab, places % d_vocab
        scores = best
        texts = torch.cat([texts[parents], new[:, None]], dim=1)
    return [(float(score), text) for score, text in zip(scores, texts, strict=True)]


searching.misconception(
    "sorting by the texts too",
    "Where two scores are equal Python compares the texts, and can't: sort by the score alone, `key=lambda beam: "
    "beam[0]`.",
)(beams_by(pruned=lambda longer, num_beams: sorted(longer, reverse=True)[:num_beams]))
searching.misconception(
    "one text of those with the same score",
    "Two texts may be equally likely, and a dict keeps one of them: keep pairs in a list.",
    "sorted(longer → sorted(dict(longer).items()",
)
searching.misconception(
    "the worst text first", "The best comes first: sort with `reverse=True`.", "return beams → return beams[::-1]"
)
searching.misconception(
    "keeping the worst texts",
    "The best beams have the highest scores: sort with `reverse=True`.",
    ", reverse=True → ",
    ("min(num_beams, len(log_probs)) → len(log_probs)", ", reverse=True → "),
)
searching.misconception(
    "the mean of the log-probabilities",
    "A score is the sum of the new tokens' log-probabilities, but these are means: return the sum.",
    "return beams → return [(score / (len(text) - len(tokens)), text) for score, text in beams]",
    "return beams → return [(score / len(text), text) for score, text in beams]",
)
searching.misconception(
    "probabilities for scores",
    "A score is a sum of log-probabilities: add up those of `log_softmax`, and leave it at that.",
    "return beams → return [(torch.tensor(score, dtype=torch.double).exp().item(), text) for score, text in beams]",
)
searching.misconception(
    "scores as tensors",
    "A score is a float: `float(...)`.",
    "return beams → return [(torch.tensor(score), text) for score, text in beams]",
)
searching.misconception(
    "texts before scores",
    "A beam is (score, tokens).",
    "return beams → return [(text, score) for score, text in beams]",
    "return beams → return [(text, torch.tensor(score)) for score, text in beams]",
)
searching.misconception(
    "texts without their scores",
    "Each item is a pair, (score, text): return the beams as they are.",
    "return beams → return [text for _, text in beams]",
)
searching.misconception(
    "lists for pairs",
    "Each item is a tuple: `(score, text)`, in round brackets.",
    "return beams → return [[score, text] for score, text in beams]",
)
searching.misconception(
    "two lists",
    "Return one list of pairs: `list(zip(scores, texts))`.",
    "return beams → return tuple(map(list, zip(*beams, strict=True)))",
)
searching.misconception(
    "the best text alone",
    "Return all `num_beams` texts, each with its score.",
    "return beams → return beams[:1]",
    "return beams → return beams[0]",
    "return beams → return beams[0][1]",
)
searching.misconception(
    "costs for scores",
    "A score is a log-probability, below 0, but these are above: add up what `log_softmax` gives, with its sign.",
    "return beams → return [(-score, text) for score, text in beams]",
)
searching.misconception(
    "a batch axis that stays",
    "The model reads [batch pos], a beam's text is [all_pos]: `text[0]`.",
    "return beams → return [(score, text[None]) for score, text in beams]",
)
searching.also(
    "two lists",
    "return beams → return (torch.tensor([score for score, _ in beams]), torch.stack([text for _, text in beams]))",
)
searching.misconception(
    "scores without their texts",
    "Each item is a pair, `(score, text)`: keep both together.",
    "return beams → return [score for score, _ in beams]",
)
searching.misconception(
    "the prompt twice",
    "A beam starts as the prompt and grows: its text is complete.",
    "return beams → return [(score, torch.cat([tokens, text])) for score, text in beams]",
)
searching.misconception(
    "texts as lists",
    "A text is a tensor: `torch.tensor(...)`, or `torch.cat` all the way.",
    "return beams → return [(score, text.tolist()) for score, text in beams]",
)
searching.misconception(
    "the new tokens alone",
    "Each text has the prompt in front.",
    "return beams → return [(score, text[len(tokens) :]) for score, text in beams]",
)
searching.misconception(
    "summed logits",
    "Logits of different texts can't be compared: take `log_softmax` of them first.",
    ".log_softmax(-1) → ",
)
searching.misconception(
    "multiplied log-probabilities",
    "Probabilities are multiplied; their logarithms are added: `score + more`.",
    ("(0.0, → (1.0,", "score + float → score * float"),
    "score + float → score * float",
)
searching.misconception(
    "a softmax over the best tokens alone",
    "All tokens of the vocabulary share the probability: `log_softmax` of all logits first, then `topk`.",
    (".log_softmax(-1) → ", "zip(best → zip(best.log_softmax(-1)"),
)
searching.misconception(
    "summed probabilities", "Probabilities are multiplied, so their logarithms are summed.", "log_softmax → softmax"
)
searching.misconception(
    "the log-probability of the last token alone",
    "The score of a text is the sum over all its new tokens.",
    "score + float(more) → float(more)",
)
searching.misconception(
    "one continuation of each beam",
    "Two of the best texts may share their beginning: compare all continuations of all beams.",
    beams_by(pruned=best_of_each_beam),
    "min(num_beams, len(log_probs)) → 1",
)
searching.misconception(
    "going on with the best beam alone",
    "Every beam is continued, `for score, text in beams`, and all their continuations are sorted before they are cut: "
    "unsorted, the first `num_beams` of them are all the best beam's.",
    "text in beams → text in beams[:1]",
)
searching.misconception(
    "no pruning before the end",
    "After each step only the `num_beams` best texts go on; the others are forgotten.",
    ("[:num_beams] → ", "return beams → return beams[:num_beams]"),
    "[:num_beams] → ",
)
searching.misconception(
    "no pruning at the end",
    "The texts of the last step are too many as well: return only the `num_beams` best.",
    ("[:num_beams] → ", "text in beams → text in beams[:num_beams]"),
)
searching.misconception(
    "continuations that are not sorted",
    "Sort those of all beams together, by score, the best first, and keep the first `num_beams`.",
    "sorted(longer, key=lambda beam: beam[0], reverse=True) → longer",
    "[:num_beams] → [:num_beams]; beams = [beam for beam in longer if beam[0] >= beams[-1][0]]",
)
searching.misconception(
    "the continuations of the last beam alone",
    "Only the last beam's continuations are left: gather those of all beams in one list, which is made once in "
    "each step, before the loop over them.",
    "log_probs = model → longer = []; log_probs = model",
)
searching.misconception(
    "beams of earlier steps that stay",
    "The longer texts take the place of the old beams, and do not join them: `beams = ...`.",
    "beams = sorted → beams += sorted",
)
searching.misconception(
    "the rank instead of the token",
    "A rank says which of the best it is, not which token: add what `topk` gives as indices.",
    "next_tokens, strict → torch.arange(len(best)), strict",
)
searching.misconception(
    "the first tokens of the vocabulary",
    "Tokens 0, 1, 2 and so on are not the likeliest: the indices that `topk` gives say which tokens are.",
    "zip(best, next_tokens → zip(log_probs[: len(best)], torch.arange(len(best))",
)
searching.misconception(
    "continuations of earlier steps",
    "Only texts of one length are compared: make the list anew in each step.",
    ("beams = [(0.0, tokens)] → beams, longer = [(0.0, tokens)], []", "longer = [] → pass"),
)
searching.misconception(
    "a score that runs on from one continuation to the next",
    "A continuation's score is its beam's score plus one log-probability. Here it holds those of the continuations "
    "before it too: leave `score` as the beam has it.",
    "score + float(more) → score := score + float(more)",
)
searching.misconception(
    "a text that runs on from one continuation to the next",
    "A continuation is its beam's own text plus one token. Here it holds the tokens of the continuations before it "
    "too: leave `text` as the beam has it.",
    "torch.cat( → text := torch.cat(",
    ("score + float(more) → score := score + float(more)", "torch.cat( → text := torch.cat("),
)


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
    "cutting the text itself",
    "Crop a copy for the model, and keep the beam's text whole, because it is part of the answer.",
    "log_probs = model → text = text[-model.cfg.n_ctx :]; log_probs = model",
)
searching.misconception(
    "the new token in front of the text",
    "It comes last: `torch.cat([text, token[None]])`.",
    "[text, token[None]] → [token[None], text]",
)
searching.misconception(
    "one beam more than `num_beams`", "Keep `num_beams`: `sorted(...)[:num_beams]`.", "[:num_beams] → [: num_beams + 1]"
)
searching.misconception(
    "one beam fewer than `num_beams`",
    "Keep all `num_beams`: `sorted(...)[:num_beams]`.",
    "[:num_beams] → [: max(1, num_beams - 1)]",
)
searching.misconception(
    "one text for each last token",
    "Texts that end in the same token are different texts all the same: keep the best, whatever they end in.",
    beams_by(pruned=best_of_each_ending),
)
searching.misconception(
    "ranking by the last token's log-probability",
    "What decides is the score of the whole text: sort by the sum, the old score and the new token's together.",
    ("scores[:, None] + → 0 * scores[:, None] +", "scores = best → scores = scores[parents] + log_probs[parents, new]"),
    of=at_once,
)
searching.misconception(
    "tokens added to the texts of other beams",
    "Continue each text from its own parent: place `i` among all continuations belongs to text `i // d_vocab` and "
    "token `i % d_vocab`.",
    "texts[parents] → texts[torch.arange(len(parents)).clamp(max=n_beams - 1)]",
    "texts[parents] → texts if n_beams > 1 else texts.expand(len(parents), -1)",
    "texts[parents] → texts if n_beams == len(parents) else texts[parents]",
    "places // d_vocab → places // num_beams",
    "places % d_vocab → places % num_beams",
    (
        "texts[parents] → texts[torch.arange(len(parents)).clamp(max=n_beams - 1)]",
        "scores = best → scores = (scores if n_beams > 1 else scores.expand(len(parents))) + log_probs[parents, new]",
    ),
    (
        "places // d_vocab, places % d_vocab → places % n_beams, places // n_beams",
        "scores = best → scores = scores[parents] + log_probs[parents, new]",
    ),
    "places // d_vocab, places % d_vocab → places % n_beams, places // n_beams",
    (
        "places // d_vocab → (places // num_beams).clamp(max=n_beams - 1)",
        "scores = best → scores = scores[parents] + log_probs[parents, new]",
    ),
    "places // d_vocab → (places // num_beams).clamp(max=n_beams - 1)",
    of=at_once,
)
searching.misconception(
    "a score added to that of another beam",
    "Add the log-probability to its parent's score: `scores[parents]`.",
    "scores = best → scores = (scores if n_beams > 1 else scores.expand(len(parents))) + log_probs[parents, new]",
    of=at_once,
)
searching.misconception(
    "`log_softmax` over the beams",
    "Each beam's probabilities add up to 1: `log_softmax(dim=-1)`, over the vocabulary.",
    "log_softmax(-1) → log_softmax(0)",
    of=at_once,
)
searching.misconception(
    "drawing tokens",
    "Nothing is drawn here: take the likeliest tokens of each beam, `log_probs.topk(...)`.",
    (
        "best, next_tokens = log_probs.topk( → next_tokens = torch.multinomial(log_probs.exp(), ",
        "zip(best → zip(log_probs[next_tokens]",
    ),
)


@searching.misconception(
    "the prompt's log-probability in the score", "Only the new tokens count: the score of the prompt is 0."
)
@torch.no_grad()
def with_the_prompt(model, tokens, max_new_tokens, num_beams):
    window = tokens[-model.cfg.n_ctx :]
    given = model(window[None])[0, :-1].log_softmax(-1).gather(-1, window[1:, None]).sum()
    return [(score + float(given), text) for score, text in beams_by()(model, tokens, max_new_tokens, num_beams)]


searching.misconception(
    "one token more than `max_new_tokens`",
    "The loop runs `max_new_tokens` times: `for _ in range(max_new_tokens)`.",
    "range(max_new_tokens → range(max_new_tokens + 1",
)
searching.misconception(
    "one token fewer than `max_new_tokens`",
    "Each step adds one token, so it takes all `max_new_tokens` steps.",
    "range(max_new_tokens → range(max_new_tokens - 1",
)
searching.misconception(
    "scores that start at 1", "Logarithms are added, and a sum starts at 0: `[(0.0, tokens)]`.", "(0.0, → (1.0,"
)
searching.misconception(
    "starting with copies of the prompt",
    "They all grow the same way. Start with one beam: `[(0.0, tokens)]`.",
    "[(0.0, tokens)] → [(0.0, tokens)] * num_beams",
)
searching.misconception(
    "two continuations of each beam",
    "Each beam may have up to `num_beams` texts among the best: take as many.",
    "min(num_beams, len(log_probs)) → 2",
)
searching.misconception(
    "asking for more tokens than there are",
    "There may be more beams than tokens, and `topk` can't give more than there are: `topk(min(num_beams, d_vocab))`.",
    "min(num_beams, len(log_probs)) → num_beams",
)
searching.misconception(
    "never more beams than tokens",
    "There are never more beams than tokens here. That limit is for `topk` of one text; there are more of the longer "
    "texts, so keep `num_beams`.",
    "[:num_beams] → [: min(num_beams, len(log_probs))]",
)
searching.misconception(
    "the logits of the first position",
    "What follows a text stands at its last position: `[0, -1]`.",
    "[0, -1] → [0, 0]",
)
searching.misconception(
    "the logits of the last position but one",
    "Position -2 says what comes at -1, which is there already. What is new follows the last one: `[0, -1]`.",
    "[0, -1] → [0, -2]",
)
searching.misconception(
    "the mean over all positions",
    "Only the last position has read the whole text: take its logits, `[0, -1]`.",
    "[0, -1] → [0].mean(0)",
)
searching.misconception(
    "`log_softmax` over the positions",
    "The probabilities of one position's tokens add up to 1: `log_softmax(dim=-1)`, the axis of the vocabulary.",
    "[0, -1].log_softmax(-1) → [0].log_softmax(0)[-1]",
)
searching.misconception(
    "`softmax` before `log_softmax`",
    "That is a softmax of a softmax: hand the logits themselves to `log_softmax`.",
    "log_softmax → softmax(-1).log_softmax",
)
searching.misconception(
    "logarithms to another base",
    "Log-probabilities are natural logarithms: `log_softmax`.",
    "log_softmax(-1) → softmax(-1).log2()",
    "log_softmax(-1) → softmax(-1).log10()",
)
searching.misconception(
    "a text that is never cropped",
    "The model reads `n_ctx` tokens at most: give it `text[-model.cfg.n_ctx:]`.",
    "[None, -model.cfg.n_ctx :] → [None]",
)
searching.misconception(
    "a window that is shorter than `n_ctx`",
    "The model can read `n_ctx` tokens: `text[-n_ctx:]`.",
    "-model.cfg.n_ctx → -max(1, model.cfg.n_ctx - 1)",
)
searching.misconception(
    "reading the new token alone",
    "The model has to read the whole text again for each token.",
    "-model.cfg.n_ctx : → -1:",
)
searching.misconception(
    "cropping to the first tokens",
    "The next token follows the last ones: `text[-n_ctx:]`.",
    "-model.cfg.n_ctx : → : model.cfg.n_ctx",
)
searching.misconception(
    "the prompt for every step", "Read each beam with the tokens that were added to it.", "-model.cfg.n_ctx : → :1"
)


AS_LONG = "`topk` gives as many values as tokens."
searching.equivalent("0 → -1", "The model answers with one text, which is also the last.")
searching.equivalent("-1 → 0", "The logits of one position have one axis, which is the first and the last.")
searching.equivalent("0 → -2", "A beam is a pair, whose first part is also the last but one.")
searching.equivalent("zip(best, next_tokens, strict=True) → zip(best, next_tokens)", AS_LONG)
searching.equivalent("True → False", AS_LONG)


searching.also(
    "tokens added to the texts of other beams",
    "places // d_vocab, places % d_vocab → places // num_beams, places % num_beams",
    "places // d_vocab → places % n_beams",
    of=at_once,
)
searching.misconception(
    "texts cut off before they are sorted",
    "Sort all continuations of all beams first, then keep the first `num_beams` of them.",
    ("[:num_beams] → ", "sorted(longer → sorted(longer[:num_beams]"),
)


@searching.misconception(
    "texts chosen by their last token alone",
    "The texts to keep are those with the largest sums: choose by the score of the whole text, the last token's "
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
