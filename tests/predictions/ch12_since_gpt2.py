"""Chapter 12's predictions: what each answer says of the figure's numbers, and why a wrong one tempts."""

from utils.learner.predictions import Choice, Predictions

chapter = Predictions(
    __name__,
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
