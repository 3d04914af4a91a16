"""Chapter 12's predictions: what each answer says of the figure's numbers, and why a wrong one tempts."""

from utils.learner.predictions import Choice, Predictions

chapter = Predictions(
    __name__,
    cache_beside_weights=Choice(
        a=(
            lambda times: times < 0.1,
            "The weights are the whole model, and the cache belongs to one text. But every token leaves a key and a "
            "value in each of 270 heads, 34,560 numbers, and there are 8192 tokens.",
        ),
        b=(
            lambda times: 0.1 <= times <= 1,
            "For GPT-2 small at its full context that is right. But its context is an eighth of this one, and this "
            "model has 30 blocks in the place of 12.",
        ),
        c=(lambda times: times > 1, "It is hard to believe that one text takes more room than the model."),
    ),
    slowest_hand=Choice(
        a=(
            lambda positions: positions < 2500,
            "64 numbers, 32 hands: they might all come round within a text. But each hand is slower than the one "
            "before by the same factor, and that multiplies.",
        ),
        b=(
            lambda positions: 5_000 <= positions <= 20_000,
            "The base looks like the length of the cycle. But it is about how many positions the slowest hand takes "
            "for one *radian*, and a full turn has 2π of them; besides, it stops a step short of the base.",
        ),
        c=lambda positions: positions > 25_000,
    ),
    must_decay=Choice(
        a=(
            lambda lower_at_64: lower_at_64 < 0.4,
            "Slow hands might bring far keys nearer. But a random key's hands point anywhere to begin with, so a turn "
            "makes its score higher as often as lower.",
        ),
        b=lambda lower_at_64: 0.4 <= lower_at_64 <= 0.6,
        c=(
            lambda lower_at_64: lower_at_64 > 0.6,
            "The paper's bound decays, and so does the mean for keys that are equal to their queries. But a random "
            "key's hands point anywhere to begin with, so a turn makes its score higher as often as lower.",
        ),
    ),
    mlp_share=Choice(
        a=(
            lambda percent: percent < 40,
            "A narrower hidden layer sounds like fewer parameters. But SwiGLU has three matrices instead of two, which "
            "makes up for it.",
        ),
        b=(
            lambda percent: 40 <= percent <= 52,
            "An MLP holds 8 times d_model² in both, so its share should stay. But the shares of attention and of the "
            "token table got smaller.",
        ),
        c=(lambda percent: percent > 52, "It is hard to believe of a hidden layer that was made narrower."),
    ),
)
predict, see = chapter.predict, chapter.see
