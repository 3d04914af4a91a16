"""Chapter 1's predictions: what each answer says of the figure's numbers, and why a wrong one tempts."""

from utils.learner.predictions import Choice, Number, Predictions, Rows

chapter = Predictions(
    __name__,
    deeper_chain=Choice(
        a=(
            lambda with_2_layers, with_12_layers: with_12_layers < 0.8 * with_2_layers,
            "Twelve layers have six times the weights, and could do all that two can do. They would have to find it.",
        ),
        b=(
            lambda with_2_layers, with_12_layers: 0.8 * with_2_layers <= with_12_layers <= 1.25 * with_2_layers,
            "Ten layers could learn to pass their numbers on unchanged. For a layer with random weights that is not "
            "the easy case, though: it has to be learned.",
        ),
        c=lambda with_2_layers, with_12_layers: with_12_layers > 1.25 * with_2_layers,
    ),
    sum_of_parts=Number(
        times=1.5,
        low="Fourteen arrows in all directions seem to cancel. But in 192 dimensions most directions are nearly at "
        "right angles to each other, and there nothing cancels: the squares of the norms add up.",
        high="Norms add up where all vectors point the same way. These point in many directions, nearly at right "
        "angles, where only the squares of the norms add up.",
    ),
    one_mlp=Rows(
        due=lambda nats: nats < 0.5,
        others="A later MLP has read all that was written before it, so its answer seems to contain that. But it "
        "writes only what is to be added, and need not repeat what is in the stream already.",
        left_out="The first MLP seems to come too early to have much to say. But by then the token has been read.",
    ),
    long_or_needed=Choice(
        a=(
            lambda without_block_5s, without_block_2s: without_block_5s > 2 * without_block_2s,
            "The longer vector moves the stream further. What that is worth depends on who reads it.",
        ),
        b=(
            lambda without_block_5s, without_block_2s: 0.5 <= without_block_5s / without_block_2s <= 2,
            "Both are attention, and both write much. But more layers come after block 2 and read what it wrote.",
        ),
        c=lambda without_block_5s, without_block_2s: without_block_2s > 2 * without_block_5s,
    ),
    which_swap=Choice(
        a=(
            lambda nats_of_3_and_4, nats_of_0_and_1: nats_of_3_and_4 > 2 * nats_of_0_and_1,
            "The middle of a model seems to be where the thinking is done. Whoever changes the first block changes "
            "what all later ones read.",
        ),
        b=(
            lambda nats_of_3_and_4, nats_of_0_and_1: 0.5 <= nats_of_3_and_4 / nats_of_0_and_1 <= 2,
            "Either way two neighbours change places. But block 1 then reads bare embeddings, which it has never met.",
        ),
        c=lambda nats_of_3_and_4, nats_of_0_and_1: nats_of_0_and_1 > 2 * nats_of_3_and_4,
    ),
)
predict, see = chapter.predict, chapter.see
