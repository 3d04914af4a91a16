"""Chapter 2's predictions: what each answer says of the figure's numbers, and why a wrong one tempts."""

from utils.learner.predictions import Choice, Number, Predictions, Rows

chapter = Predictions(
    __name__,
    one_family=Number(
        within=0.2,
        low="The rows began at random, where cosines are near 0, and nobody told the model which words are related. "
        "But words of one family occur in similar places, and training has moved them together.",
        high="The words of a family seem to mean nearly the same. But the model has to tell red from green as well.",
    ),
    king_and_woman=Choice(
        a=(
            lambda most_alike: most_alike == " queen",
            "So it is told everywhere. But there the words of the question were left out of the search.",
        ),
        b=(lambda most_alike: most_alike == " king", "The sum begins with it."),
        c=(
            lambda most_alike: most_alike == " woman",
            "The sum ends with it. But man is more like woman than like king, so more of woman is taken away with man.",
        ),
        d=(
            lambda most_alike: most_alike not in {" queen", " king", " woman"},
            "In a small model such sums may seem to lead nowhere. But they stay near the rows that they are made of.",
        ),
    ),
    needed_directions=Rows(
        due=lambda nats: nats > 0.1,
        others="Nearly a third of the variance seems too much to lose. But variance says how much the rows differ, "
        "and not what the model makes use of.",
        left_out="Two directions of 192 seem too few to matter. But these two say how far along a position is.",
    ),
    shift_by_64=Choice(
        a=(
            lambda share: share < 0.1,
            "The order and the distances stay, so nothing seems to be lost. But each token now has the vector of a "
            "position that never had so few tokens before it.",
        ),
        b=(
            lambda share: 0.1 <= share < 0.5,
            "A text whose order is kept should cost clearly less than one without any. But what costs here is that the "
            "model never met such an input, and it never met either of these two.",
        ),
        c=(lambda share: share >= 0.5, "A model that never met such positions may do badly with them."),
    ),
)
predict, see = chapter.predict, chapter.see
