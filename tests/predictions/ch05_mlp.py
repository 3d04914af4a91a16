"""Chapter 5's predictions: what each answer says of the figure's numbers, and why a wrong one tempts."""

from utils.learner.predictions import Choice, Number, Predictions, Rows

chapter = Predictions(
    __name__,
    relu_by_training=Choice(
        a=lambda with_two_neurons: with_two_neurons < 7.5,
        b=(
            lambda with_two_neurons: 7.5 <= with_two_neurons < 14.5,
            "That half of the starts are lucky sounds fair. But both neurons have to be on in the right rows, and one "
            "that starts off in all rows stays as it is.",
        ),
        c=(
            lambda with_two_neurons: with_two_neurons >= 14.5,
            "The answer exists, there are four rows to learn, and 500 steps are many. But the steps follow a slope, "
            "and where ReLU is 0 there is none.",
        ),
    ),
    five_at_once=Choice(
        a=(
            lambda five_at_once, sum_of_single_costs: five_at_once < 0.8 * sum_of_single_costs,
            "What is lost can't be lost again, and all six MLPs cost no more than the first alone. But without one of "
            "these five the model has lost little: there is much more to lose.",
        ),
        b=(
            lambda five_at_once, sum_of_single_costs: 0.8 <= five_at_once / sum_of_single_costs <= 1.25,
            "Each MLP adds to the stream, so their costs seem to add up as well. But while one is missing the others "
            "are there, and some of them may stand in for it.",
        ),
        c=lambda five_at_once, sum_of_single_costs: five_at_once > 1.25 * sum_of_single_costs,
    ),
    relu_instead=Number(
        times=3,
        low="The two curves look alike. But a small change reaches thousands of neurons at once, and each block reads "
        "what the blocks before it got wrong.",
        high="Weights that belong to one function might seem lost with another. But far from 0 the two functions "
        "agree, and most of what the model knows survives.",
    ),
    new_line=Choice(
        a=(
            lambda share_lost: share_lost < 0.1,
            "One neuron of so many seems to be nothing. But this one is strongest where a sentence ends, and its value "
            "pushes up the new line further than random vectors push any token.",
        ),
        b=lambda share_lost: 0.1 <= share_lost <= 0.5,
        c=(
            lambda share_lost: share_lost > 0.5,
            "It finds the ends of sentences and pushes up the new line. But without it the model still expects one: "
            "other parts of the stream speak for it too.",
        ),
    ),
    few_neurons=Rows(
        due=lambda nats: nats < 0.5,
        others="A few dozen may seem enough, or the same ones for all positions, or half of them however they are "
        "chosen. But each position needs its own, and 64 of them are still too few.",
        left_out="A memory with 768 entries seems to need nearly all of them. At one position most write very little.",
    ),
)
predict, see = chapter.predict, chapter.see
