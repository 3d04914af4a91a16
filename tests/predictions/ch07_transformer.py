"""Chapter 7's predictions: what each answer says of the figure's numbers, and why a wrong one tempts."""

from utils.learner.predictions import Choice, Number, Predictions, Rows

chapter = Predictions(
    __name__,
    zeros_nearer=Choice(
        a=(
            lambda blocks: blocks == 0,
            "Each part is right and answers something sensible, so the chain seems to be on its way. But in the later "
            "blocks most of resid_post is what came in, and the chain has thrown that away.",
        ),
        b=(
            lambda blocks: 1 <= blocks <= 2,
            "The chain's parts are right, so zeros should be nearer only by luck. But a long vector that points in a "
            "wrong direction is worse than none, and from block 2 on the chain's is one.",
        ),
        c=(lambda blocks: blocks >= 3, "It is hard to believe that right parts do worse than nothing at all."),
    ),
    own_vector=Choice(
        a=(
            lambda times: 0.5 <= times < 1.5,
            "It is one of the summands, and the sublayers seem to add other things. But what they add may also point "
            "the opposite way.",
        ),
        b=(
            lambda times: times >= 1.5,
            "The stream gets twenty times longer, so everything in it seems to grow. But what the block "
            "adds lies in other directions.",
        ),
        c=(lambda times: times < 0.5, "It sounds odd, since a block only adds."),
    ),
    first_stage=Choice(
        a=(
            lambda first: first == "blocks.0.attn gives",
            "Both sublayers run in another arrangement, so both seem to be hit. But attention reads what it should: "
            "ln1 of resid_pre.",
        ),
        b=(lambda first: first == "blocks.0.ln2 reads", "No answer is wrong yet, so nothing seems to show."),
        c=(
            lambda first: first == "blocks.0.mlp gives",
            "The MLP's answer is the first wrong one of a sublayer. But what it is made of was wrong before, and the "
            "comparison also looks at what each part reads.",
        ),
        d=(
            lambda first: first == "blocks.0 gives",
            "All parts are right and only the sum is another, so the sum seems to be where it shows. But a part that "
            "reads the wrong stream shows earlier.",
        ),
    ),
    same_story=Rows(
        due=lambda as_right: as_right,
        others="A model that still writes English seems to write the same English. But where right parts are put "
        "together wrongly, the likeliest token soon becomes another.",
        left_out="A wrong formula in every LayerNorm or in every MLP seems to matter after six blocks. But the numbers "
        "change so little that the likeliest token stays the likeliest.",
    ),
    parallel_cost=Number(
        times=2,
        low="The story reads like English, so little seems to be lost. But a story only shows that the likeliest token "
        "fits the ones before it. The loss asks for the token that really came.",
        high="Every MLP reads a wrong stream, so all seems to be lost: to know nothing would cost 4.9 nats more. But "
        "the wrong stream is near enough to the right one to keep most of what the model knows.",
    ),
)
predict, see = chapter.predict, chapter.see
