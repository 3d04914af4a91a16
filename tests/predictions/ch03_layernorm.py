"""Chapter 3's predictions: what each answer says of the figure's numbers, and why a wrong one tempts."""

from utils.learner.predictions import Choice, Predictions

chapter = Predictions(
    __name__,
    tenfold=Choice(
        a=(
            lambda times_at_0_ln2: times_at_0_ln2 > 10,
            "An attention has added to the stream by then. But its answer is short, and the vectors are hardly longer "
            "than before.",
        ),
        b=lambda times_at_0_ln2, times_at_1_ln1: times_at_0_ln2 <= 10 < times_at_1_ln1,
        c=(
            lambda times_at_0_ln2, times_at_1_ln1, most_times: max(times_at_0_ln2, times_at_1_ln1) <= 10 < most_times,
            "If every sublayer adds a little, it takes several blocks to get there. But a single one, the first MLP, "
            "adds enough at once.",
        ),
        d=(
            lambda most_times: most_times <= 10,
            "LayerNorm is there to bring vectors to one scale. But it scales a copy, and the stream itself stays as "
            "long as it is.",
        ),
    ),
    which_step=Choice(
        a=(
            lambda without_slide, without_stretch: without_slide > 0.1 and without_stretch > 0.1,
            "The model was trained with both steps, so it should count on both. But one of them has almost nothing to "
            "do in this stream, as the next cell shows.",
        ),
        b=lambda without_slide, without_stretch: without_slide <= 0.1 < without_stretch,
        c=(
            lambda without_slide, without_stretch: without_stretch <= 0.1 < without_slide,
            "A vector twice as long has the same direction, and directions seem to carry the meaning. But the weights "
            "behind LayerNorm were trained on one scale.",
        ),
        d=(
            lambda without_slide, without_stretch: without_slide <= 0.1 and without_stretch <= 0.1,
            "`w` and `b` scale and shift too, and they were trained. But they were trained on vectors that had "
            "been stretched already.",
        ),
    ),
    gradient_without=Choice(
        a=(
            lambda times_as_large: times_as_large < 10,
            "Five times the weights, five times the gradient: so it would be if only the token vectors had grown, "
            "which the unembedding uses too. But all blocks have grown as well, and the growth multiplies.",
        ),
        b=lambda times_as_large: 10 <= times_as_large <= 1000,
        c=(
            lambda times_as_large: times_as_large > 1000,
            "So it could be in a chain, where each block hands on its answer alone. But every block adds to the "
            "stream, and part of the gradient comes back by that way, past the weights.",
        ),
    ),
    the_first=Choice(
        a=(
            lambda another_token_at_0, endoftext_at_1: another_token_at_0 < 3 < endoftext_at_1,
            "`<|endoftext|>` is a special token: it stands between texts and says nothing. But one position "
            "further it is a token like the rest.",
        ),
        b=lambda another_token_at_0, endoftext_at_1: endoftext_at_1 < 3 < another_token_at_0,
        c=(
            lambda another_token_at_0, endoftext_at_1: another_token_at_0 < 3 and endoftext_at_1 < 3,
            "Here the two always come together, so the model might look for both. But in training its rows began "
            "anywhere in a text, so position 0 could hold any token.",
        ),
    ),
)
predict, see = chapter.predict, chapter.see
