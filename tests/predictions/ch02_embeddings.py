"""Chapter 2's predictions: what each answer says of the figure's numbers, and why a wrong one tempts."""

from utils.learner.predictions import Choice, Predictions

chapter = Predictions(
    __name__,
    shift_by_64=Choice(
        a=(
            lambda share: share < 0.1,
            "All distances stay the same, so nothing seems to be lost. But each token now has the vector of a position "
            "that it never had with so few others before it.",
        ),
        b=(
            lambda share: 0.1 <= share < 0.8,
            "Some order is better than none, if order is what the loss measures. It measures how strange the input is.",
        ),
        c=(lambda share: share >= 0.8, "It sounds absurd, since no order is lost."),
    ),
)
predict, see = chapter.predict, chapter.see
