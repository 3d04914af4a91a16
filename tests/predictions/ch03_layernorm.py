"""Chapter 3's predictions: what each answer says of the figure's numbers, and why a wrong one tempts."""

from utils.learner.predictions import Number, Predictions

chapter = Predictions(
    __name__,
    gradient_without=Number(
        times=2,
        low="Five times the weights, five times the gradient: so it would be if a single layer lay between. But the "
        "gradient at block 0 comes through the five blocks behind it, and each of them has larger weights too.",
        high="A factor of five in each of six blocks would make thousands. But every block adds to the stream, and "
        "much of the gradient comes back by that way, past the weights.",
    ),
)
predict, see = chapter.predict, chapter.see
