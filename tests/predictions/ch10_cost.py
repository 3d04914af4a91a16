"""Chapter 10's predictions: what each answer says of the figure's numbers, and why a wrong one tempts."""

from utils.learner.predictions import Choice, Number, Predictions, Rows

chapter = Predictions(
    __name__,
    papers_mistake=Choice(
        a=(
            lambda fits: fits == "no positions",
            "A table of positions is easy to forget. But it has 0.8 million numbers in the small model, and the paper "
            "is 7 million short.",
        ),
        b=(
            lambda fits: fits == "not tied",
            "Tied tables are what people count wrongly most often. But whoever counts the table twice counts too many, "
            "and the paper has too few.",
        ),
        c=(
            lambda fits: fits == "512 positions",
            "The first GPT did have 512 positions. But the other 512 rows are 0.4 million numbers in the small model.",
        ),
        d=lambda fits: fits == "40,478 tokens",
    ),
    scores_overtake=Number(
        times=2,
        low="Attention's square is famous, so that one expects it early. But each token also goes through the large "
        "matrices of the MLPs and of attention, and that work is the same at every length.",
        high="The scores begin as a very small share, but they grow with every token of the text.",
    ),
    computing_decides=Rows(
        due=lambda tokens, cached, flops_per_byte: flops_per_byte > 5,
        others="A cached pass reads one token however long the text is, so each parameter serves 2 FLOPs. And a "
        "pass over 4 tokens does 2 FLOPs for each byte, which is fewer than 5.",
        left_out="16 tokens seem few. But each parameter of 4 bytes serves 2 FLOPs for each token, which is 8 for each "
        "byte.",
    ),
    hundred_texts=Choice(
        a=(
            lambda times_as_long: times_as_long < 2,
            "All texts share the parameters that are fetched, and the arithmetic units were idle. But each text also "
            "brings a cache of its own, which has to be fetched too.",
        ),
        b=lambda times_as_long: 2 <= times_as_long < 40,
        c=(
            lambda times_as_long: times_as_long >= 40,
            "It is a hundred times the arithmetic. But arithmetic did not set the time, and the parameters are fetched "
            "once for all texts.",
        ),
    ),
    activations=Choice(
        a=(
            lambda activations_mb, rest_mb: activations_mb < rest_mb / 2,
            "Under `no_grad` activations are thrown away at once. Here they are kept until the backward pass has used "
            "them.",
        ),
        b=(
            lambda activations_mb, rest_mb: rest_mb / 2 <= activations_mb <= 2 * rest_mb,
            "Four numbers for each parameter are a lot. But activations are kept for every position of every text, in "
            "every block, and they include the table of scores.",
        ),
        c=lambda activations_mb, rest_mb: activations_mb > 2 * rest_mb,
    ),
)
predict, see = chapter.predict, chapter.see
