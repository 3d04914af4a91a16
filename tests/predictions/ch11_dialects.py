"""Chapter 11's predictions: what each answer says of the figure's numbers, and why a wrong one tempts."""

from utils.learner.predictions import Choice, Number, Predictions, Rows

chapter = Predictions(
    __name__,
    key_of_head_1=Number(
        within=0.5,
        low="48 is where the query of head 1 begins. The keys come after the queries of all four heads, from 192 on, "
        "and the first 48 columns there are head 0's.",
        high="Heads are numbered from 0, so head 1 is the second: only the key of head 0 comes before its key.",
    ),
    sees_later=Rows(
        due=lambda position, blended: (position == 0) & (blended > 1.5),
        others="In masked_fill True means hidden, and so one expects it of attn_mask. There it means the opposite, may "
        "be seen. And position 1 is the last, so that nothing is later.",
        left_out="A triangle looks like a causal mask, whichever half of it is True. And without any mask each "
        "position sees every key.",
    ),
    index_too_large=Choice(
        a=(
            lambda found: found == "error",
            "Python, NumPy and PyTorch all raise an IndexError. But JAX checks no index in brackets.",
        ),
        b=lambda found: found == 30,
        c=(
            lambda found: found == 0,
            "Nothing is there, so nothing should come out. In brackets JAX fills in something only for those who ask "
            "for it.",
        ),
    ),
    traced=Choice(
        a=(
            lambda times_traced: times_traced == 1,
            "A compiler runs once, so it seems. But what was compiled holds for one shape alone.",
        ),
        b=lambda times_traced: times_traced == 2,
        c=(
            lambda times_traced: times_traced == 4,
            "Python runs a function's lines at every call. But a compiled function's lines are not run: only what they "
            "did to the tracers is.",
        ),
    ),
    margin=Choice(
        a=(
            lambda smallest_lead, largest_difference: largest_difference > smallest_lead,
            "The programs add in another order, and rounding piles up over six blocks. But float32 has seven "
            "digits, and two likely tokens are rarely alike in so many.",
        ),
        b=(
            lambda smallest_lead, largest_difference: largest_difference <= smallest_lead < 100 * largest_difference,
            "The same text four times could be a narrow escape. 40 tokens are few, though, and rounding is very small.",
        ),
        c=lambda smallest_lead, largest_difference: smallest_lead >= 100 * largest_difference,
    ),
    graphs_of_lengths=Choice(
        a=(
            lambda graphs: graphs == 1,
            "Its code is the same for every number of positions. But the first graph is made for the sizes that it "
            "meets: a compiler can do more with numbers that it knows.",
        ),
        b=lambda graphs: graphs == 3,
        c=(
            lambda graphs: graphs == 4,
            "With jax.jit it would be 4. But torch.compile leaves a size open once it has seen it change.",
        ),
    ),
)
predict, see = chapter.predict, chapter.see
