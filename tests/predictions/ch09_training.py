"""Chapter 9's predictions: what each answer says of the figure's numbers, and why a wrong one tempts."""

from utils.learner.predictions import Choice, Predictions

chapter = Predictions(
    __name__,
    first_loss=Choice(
        a=(
            lambda rise: abs(rise) <= 0.2,
            "Guesses of a model that knows nothing are equally worthless, whatever its weights. But the loss also asks "
            "how sure it is: large weights make large logits, and a guess that is sure and wrong costs much.",
        ),
        b=(
            lambda rise: rise < -0.2,
            "Larger weights make a model more decided, and a decided model can have a low loss. It has to be right for "
            "that, and a fresh one is right by chance alone.",
        ),
        c=lambda rise: rise > 0.2,
    ),
    one_batch=Choice(
        a=(
            lambda other_targets, no_attention, gradients_add_up: (
                gradients_add_up > 0.05 >= max(other_targets, no_attention)
            ),
            "Without attention the loss gets near 0, which looks as good as memorised. It stops at the second floor, "
            "which a character and its position allow; the first floor is lower.",
        ),
        b=lambda other_targets, no_attention, gradients_add_up: (
            min(no_attention, gradients_add_up) > 0.05 >= other_targets
        ),
        c=(
            lambda other_targets, no_attention, gradients_add_up: (
                min(other_targets, gradients_add_up) > 0.05 >= no_attention
            ),
            "Shuffled targets can't be understood. But nothing has to be understood here: they can be memorised.",
        ),
        d=(
            lambda other_targets, no_attention, gradients_add_up: (
                min(other_targets, no_attention, gradients_add_up) > 0.05
            ),
            "Each of them is a serious bug. But shuffled targets can be memorised like any others.",
        ),
    ),
    leak=Choice(
        a=(
            lambda right_mask, leaking_mask: leaking_mask < right_mask + 0.3,
            "It has read the same text for as many steps. But it never had to predict: it learned to copy what it "
            "sees one position ahead, and nothing else.",
        ),
        b=(
            lambda right_mask, leaking_mask: right_mask + 0.3 <= leaking_mask <= 4.17,
            "A model that has learned little seems to be near one that knows nothing. But this one is sure of "
            "itself, and to be sure and wrong costs more than to know nothing.",
        ),
        c=lambda right_mask, leaking_mask: leaking_mask > max(4.17, right_mask + 0.3),
    ),
    unseen_mistake=Choice(
        a=(
            lambda no_zero_grad, detached, frozen: no_zero_grad <= 0.06 < min(detached, frozen),
            "With clipping the gradients keep their length, and old ones are not all wrong. But the direction is out "
            "of date, and that shows.",
        ),
        b=lambda no_zero_grad, detached, frozen: detached <= 0.06 < min(no_zero_grad, frozen),
        c=(
            lambda no_zero_grad, detached, frozen: frozen <= 0.06 < min(no_zero_grad, detached),
            "The layers below could learn to speak through a random matrix. They can, but the matrix is so small "
            "that in 100 steps they hardly make themselves heard.",
        ),
    ),
    high_rate=Choice(
        a=lambda no_warm_up, no_clipping: no_clipping <= 0.1 < no_warm_up,
        b=(
            lambda no_warm_up, no_clipping: no_warm_up <= 0.1 < no_clipping,
            "Clipping holds long gradients back, which sounds like what a high rate needs. But AdamW divides each "
            "gradient by its own recent size anyway, so that its length hardly counts.",
        ),
        c=(
            lambda no_warm_up, no_clipping: min(no_warm_up, no_clipping) > 0.1,
            "Both are said to keep a run steady. But AdamW divides each gradient by its own recent size anyway, so "
            "that a long one needs no clipping here.",
        ),
        d=(
            lambda no_warm_up, no_clipping: max(no_warm_up, no_clipping) <= 0.1,
            "At the base's rate neither is missed by more than 0.02 nats. But the first steps, when AdamW's averages "
            "rest on few gradients, are more than three times as long now.",
        ),
    ),
)
predict, see = chapter.predict, chapter.see
