"""Chapter 6's predictions: what each answer says of the figure's numbers, and why a wrong one tempts."""

from utils.learner.predictions import Choice, Number, Predictions

chapter = Predictions(
    __name__,
    best_factor=Choice(
        a=(
            lambda lowest_at: lowest_at < 1,
            "Two names in three are wrong, so modesty seems wise. But a model that is less sure pays more wherever it "
            "is right. The loss weighs both, and it did so in training.",
        ),
        b=lambda lowest_at: lowest_at == 1,
        c=(
            lambda lowest_at: lowest_at > 1,
            "Where the likeliest token came, more would have been better. But where it did not, the token that came "
            "becomes very unlikely, and the logarithm makes that dear.",
        ),
    ),
    unigrams=Number(
        within=0.6,
        low="A handful of tokens make up much of any text, so their shares seem to say most of it. But the rest of the "
        "text is spread over thousands of tokens, and each of these comes as a surprise.",
        high="Without reading a word one seems to know nothing. But a comma alone is far more frequent than one token "
        "in 4096.",
    ),
    twin=Choice(
        a=(
            lambda less_at_the_twin: less_at_the_twin >= 2,
            "It lifts the final guess so far that it seems to know the text. But all that it reads is the token, the "
            "position and what one attention has brought.",
        ),
        b=(
            lambda less_at_the_twin: 0.5 < less_at_the_twin < 2,
            "An attention comes before it, so the context could have reached it. Here hardly any of it "
            "reaches the guess in this way.",
        ),
        c=lambda less_at_the_twin: less_at_the_twin <= 0.5,
    ),
    other_positions=Choice(
        a=(
            lambda nats_more: nats_more < 0.5,
            "`the`, `great` and a comma fit almost anywhere. But these are only the likeliest words: most of what is "
            "guessed goes with the token that was just read.",
        ),
        b=(
            lambda nats_more: 0.5 <= nats_more <= 2,
            "All that block 0 knows is the token and hardly anything of the text, which seems to be little. But which "
            "token comes next depends most of all on the one before it.",
        ),
        c=lambda nats_more: nats_more > 2,
    ),
)
predict, see = chapter.predict, chapter.see
