"""What is reported of a GPT-2 that a learner's code is handed: the gradients that reach it, and how it was asked."""

import torch
import torch.nn.functional as F

from judge.running.kinds import kind_of
from judge.running.local import LocalRunner
from judge.running.records import Question
from judge.running.validation import validated
from utils.gpt import SMALL
from utils.gpt.model import GPT

WEIGHTS = {name: torch.full(value.shape, 0.1) for name, value in GPT(SMALL).named_parameters()}
WEIGHTS["unembed.W_U"] = torch.linspace(-1, 1, SMALL.d_model * SMALL.d_vocab).view(SMALL.d_model, SMALL.d_vocab)
TOKENS = torch.arange(6).view(2, 3)


def surprise(model, tokens):
    return F.cross_entropy(model(tokens).flatten(0, 1), tokens.flatten())


def asked(f, **options):
    question = Question("with_gpt", (SMALL, WEIGHTS, TOKENS), options)
    return validated(LocalRunner().ask(f, question), question)


def test_gradients_of_the_weights_are_reported_where_they_are_asked_for():
    assert asked(surprise).grads == {}
    grads = asked(surprise, cotangent=torch.tensor(2.0)).grads
    model = GPT(SMALL)
    model.load_state_dict(WEIGHTS)
    (2 * surprise(model, TOKENS)).backward()
    assert torch.allclose(grads["unembed.W_U"], model.unembed.W_U.grad)
    assert grads.keys() == WEIGHTS.keys() and grads["unembed.b_U"] is None
    cut = asked(lambda model, tokens: surprise(model, tokens).detach(), cotangent=torch.tensor(2.0))
    assert set(cut.grads.values()) == {None}


def test_the_answer_shows_the_mode_in_which_the_model_was_asked():
    def logits(model, tokens):
        return model(tokens)

    plain = asked(logits).output
    assert torch.equal(asked(logits, in_eval=3.0).output, plain)
    assert torch.allclose(asked(logits, in_eval=3.0, training=False).output, 3 * plain)
    assert torch.allclose(asked(lambda model, tokens: model.eval()(tokens), in_eval=3.0).output, 3 * plain)


def test_the_answer_shows_whether_the_model_was_asked_again():
    def summed(model, tokens):
        return model(tokens) + model(tokens)

    plain = asked(lambda model, tokens: model(tokens)).output
    assert torch.equal(asked(lambda model, tokens: model(tokens), asked_again=3.0).output, plain)
    assert torch.allclose(asked(summed, asked_again=3.0).output, 4 * plain)


def test_a_card_writes_the_call_without_what_is_the_models():
    question = Question(
        "with_gpt", (SMALL, WEIGHTS, TOKENS), {"in_eval": 3.0, "asked_again": 2.0, "training": False, "top_k": 2}
    )
    assert kind_of(question).calls(question)[0].options == {"top_k": 2}
