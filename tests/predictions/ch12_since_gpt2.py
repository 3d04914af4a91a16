"""Chapter 12's predictions: what each answer says of the figure's numbers, and why a wrong one tempts."""

from utils.learner.predictions import Choice, Predictions

chapter = Predictions(
    __name__,
    mean_share=Choice(
        a=lambda largest_percent: largest_percent < 0.3,
        b=(
            lambda largest_percent: 0.3 <= largest_percent <= 3,
            "That is what a random vector has, in which the mean is one direction of 192. But these vectors are not "
            "random: whatever reads them removes the mean first.",
        ),
        c=(
            lambda largest_percent: largest_percent > 3,
            "LayerNorm has a step of its own for the mean, so there should be something to remove. But it is there "
            "whether there is much to do or not.",
        ),
    ),
    buys_most=Choice(
        a=(
            lambda rmsnorm, rotary, swiglu, qknorm: rmsnorm > max(rotary, swiglu, qknorm),
            "Every newer model in this chapter's table has it, so it should buy something. But what it takes away, a "
            "mean and a bias, is little, and the reason that its authors give is time, not a lower loss.",
        ),
        b=lambda rmsnorm, rotary, swiglu, qknorm: rotary > max(rmsnorm, swiglu, qknorm),
        c=(
            lambda rmsnorm, rotary, swiglu, qknorm: swiglu > max(rmsnorm, rotary, qknorm),
            "The MLPs hold most of the parameters, and in the papers' tables a gate buys more than any bend "
            "alone. But here rotary positions bought more. A guess: 580 steps are few for learning what each of 64 "
            "positions means.",
        ),
        d=(
            lambda rmsnorm, rotary, swiglu, qknorm: qknorm > max(rmsnorm, rotary, swiglu),
            "Scores that can't grow sound like what the high rates of Muon need. But these rates were chosen for a "
            "model without it, so they are not too high for that model.",
        ),
    ),
    with_adamw=Choice(
        a=(
            lambda swiglu, qknorm: abs(swiglu) <= 0.02 and abs(qknorm) <= 0.02,
            "The block is the same, so it seems that what it buys should be too. But a loss after 580 steps is one of "
            "the block and of the steps that were made with it.",
        ),
        b=(
            lambda swiglu, qknorm: abs(swiglu) <= 0.02 < abs(qknorm),
            "QK-norm is about how large the steps may be, so it should depend on the optimiser. It does. But so does "
            "what SwiGLU buys.",
        ),
        c=(
            lambda swiglu, qknorm: abs(qknorm) <= 0.02 < abs(swiglu),
            "QK-norm made little difference with Muon, so there seems to be little to change. But with AdamW it lowers "
            "the loss on every seed.",
        ),
        d=lambda swiglu, qknorm: abs(swiglu) > 0.02 and abs(qknorm) > 0.02,
    ),
    longer=Choice(
        a=(
            lambda at_32_to_63, at_224_to_254: at_224_to_254 < at_32_to_63 - 0.05,
            "There are more characters to read at the end of a long window, and the angles depend on the distance "
            "alone. But training never showed this model a distance above 63.",
        ),
        b=(
            lambda at_32_to_63, at_224_to_254: abs(at_224_to_254 - at_32_to_63) <= 0.05,
            "Each query could look at the last 63 positions and leave the rest. But nothing taught it to: in training "
            "there was nothing further back that it had to leave alone.",
        ),
        c=lambda at_32_to_63, at_224_to_254: at_224_to_254 > at_32_to_63 + 0.05,
    ),
    hands_needed=Choice(
        a=lambda fastest, second, third, slowest: fastest > max(second, third, slowest),
        b=(
            lambda fastest, second, third, slowest: second > max(fastest, third, slowest),
            "No two distances within the context have the same angle there, which the fastest hands can't say. But "
            "one position moves such a hand by 6 degrees at most, so it hardly tells a neighbour from the next one.",
        ),
        c=(
            lambda fastest, second, third, slowest: slowest > max(fastest, second, third),
            "They alone tell positions apart that are thousands of tokens away from one another. But this model reads "
            "256, and within these such a hand turns by 15 degrees at most: it stands nearly still already.",
        ),
    ),
    cache_beside_weights=Choice(
        a=(
            lambda times: times < 0.1,
            "The weights are the whole model, and the cache belongs to one text. But every token leaves a key and a "
            "value in each of 270 heads, 34,560 numbers, and there are 8192 tokens.",
        ),
        b=(
            lambda times: 0.1 <= times <= 1,
            "For GPT-2 small at its full context that is right. But its context is an eighth of this one, and this "
            "model has 30 blocks instead of 12.",
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
