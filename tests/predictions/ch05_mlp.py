"""Chapter 5's predictions: what each answer says of the figure's numbers, and why a wrong one tempts."""

from utils.learner.predictions import Predictions, Rows

chapter = Predictions(
    __name__,
    few_neurons=Rows(
        due=lambda nats: nats < 0.5,
        others="The strongest neurons seem to be the strongest everywhere, or half of them seems to be plenty however "
        "they are chosen. But other positions need others.",
        left_out="A memory with 768 entries seems to need nearly all of them. At one position most write very little.",
    ),
)
predict, see = chapter.predict, chapter.see
