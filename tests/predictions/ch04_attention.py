"""Chapter 4's predictions: what each answer says of the figure's numbers, and why a wrong one tempts."""

from utils.learner.predictions import Choice, Predictions, Rows

chapter = Predictions(
    __name__,
    without_copying_head=Choice(
        a=(
            lambda nats: nats < 5,
            "With 23 heads left, some other one might step in. But no other head looks at what came after the twin.",
        ),
        b=(
            lambda nats: 5 <= nats <= 8.32,
            "A model that knows it has no clue would do so. This one still expects what books say, and random tokens "
            "are mostly something else.",
        ),
        c=lambda nats: nats > 8.32,
    ),
    keys_or_queries=Choice(
        a=(
            lambda with_such_keys, with_such_queries: with_such_queries < 0.36 <= with_such_keys,
            "The query does the searching, so it seems to be what has to know. But its own token is enough to search "
            "with, if the keys say what came before.",
        ),
        b=lambda with_such_keys, with_such_queries: with_such_keys < 0.36 <= with_such_queries,
        c=(
            lambda with_such_keys, with_such_queries: max(with_such_keys, with_such_queries) < 0.36,
            "A score needs both, and both are made from the same stream. But one of them keeps most of the weight "
            "without what these heads have put there.",
        ),
    ),
    feeding_layer=Rows(
        due=lambda weight: weight < 0.36,
        others="Layers 3 and 4 hold the two look-back heads, and every layer writes into the stream that 5.2 reads. "
        "But most of the weight stays without what they write.",
        left_out="Layer 2 comes early, and its heads only look for the latest. Yet nothing else in the stream stands "
        "in for what they write there.",
    ),
    opened=Rows(
        due=lambda nats: nats < -0.5,
        others="The answer is there to be read. But a head finds only what it has learned to look for, and the next "
        "token was never there to be found.",
        left_out="A model that never saw the future should have no use for it. But one head looks for what follows a "
        "copy of its token, and the nearest copy is now the token itself. With all of layer 5 open it sees the same.",
    ),
    multiplied_mask=Choice(
        a=(
            lambda loss: loss > 3.2,
            "A score of 0 sounds like no weight. But softmax turns scores into powers of e, and e to the power of 0 is "
            "1: a later position gets its share.",
        ),
        b=lambda loss: 1 < loss <= 3.2,
        c=(
            lambda loss: loss <= 1,
            "The future is not hidden, so the answer is there. But all later positions have the same score, 0: a head "
            "can't pick the next one out of them.",
        ),
    ),
)
predict, see = chapter.predict, chapter.see
