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
    most_missed=Choice(
        a=(
            lambda first_costs, last_costs: last_costs > 2 * first_costs,
            "Nobody comes after it to make up for the loss. Of the blocks 1 to 5 it is indeed missed most. But "
            "everything that the first MLP writes is read by all blocks after it.",
        ),
        b=lambda first_costs, last_costs: first_costs > 2 * last_costs,
        c=(
            lambda first_costs, last_costs: 0.5 <= first_costs / last_costs <= 2,
            "The blocks have the same parts and the same number of weights. What they have learned differs.",
        ),
    ),
    relu_instead=Number(
        times=3,
        low="The two curves look alike. But a small change reaches every neuron at once, and each block reads what the "
        "blocks before it got wrong.",
        high="Weights that belong to one function might seem lost with another. But far from 0 the two functions "
        "agree, and most of what the model knows survives.",
    ),
    new_line=Number(
        times=2,
        low="It is one neuron of 4,608. But it is strongest where a sentence ends, and its value points at the "
        "new line more than random vectors do.",
        high="It finds the ends of sentences and pushes up the new line. But without it the model still expects one: "
        "other parts of the stream speak for it too.",
    ),
    few_neurons=Rows(
        due=lambda nats: nats < 0.5,
        others="The strongest neurons seem to be the strongest everywhere, or half of them seems to be plenty however "
        "they are chosen. But other positions need others.",
        left_out="A memory with 768 entries seems to need nearly all of them. At one position most write very little.",
    ),
)
predict, see = chapter.predict, chapter.see
