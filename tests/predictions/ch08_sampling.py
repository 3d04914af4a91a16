"""Chapter 8's predictions: what each answer says of the figure's numbers, and why a wrong one tempts."""

from utils.learner.predictions import Choice, Number, Predictions, Rows

chapter = Predictions(
    __name__,
    fifth_lap=Choice(
        a=lambda fifth_lap: fifth_lap < 0.25,
        b=(
            lambda fifth_lap: 0.25 <= fifth_lap <= 0.5,
            "With 24 heads it seems that several would share the work. But with this one off the others do next to "
            "none of it.",
        ),
        c=(
            lambda fifth_lap: fifth_lap > 0.5,
            "A model often does without one of its many parts, and without the neighbour it does. But this head alone "
            "finds what followed the last time.",
        ),
    ),
    hold_90=Number(
        times=3,
        low="Grammar and the story seem to leave a handful of words. But at most positions the probability is "
        "spread over dozens of tokens.",
        high="Hundreds of words would make sense in most places. But the model puts 90 % on hundreds of tokens only "
        "where it is least sure.",
    ),
    tail=Choice(
        a=(
            lambda beyond_a_hundred: beyond_a_hundred < 0.07,
            "The drawn texts babble, so the model seems to give its tail too much. But real texts take a token from "
            "there about as often, only with a reason.",
        ),
        b=lambda beyond_a_hundred: 0.07 <= beyond_a_hundred <= 0.16,
        c=(
            lambda beyond_a_hundred: beyond_a_hundred > 0.16,
            "A small model seems bound to miss the rare words of real writers, and they do take them a little more "
            "often than it says. But it was trained until its probabilities fitted what people write.",
        ),
    ),
    kept_too_seldom=Rows(
        due=lambda kept: kept < 0.85,
        others="Where the model is sure, forty tokens are more than enough. And a nucleus of 90 % that the model "
        "believes in need not hold 90 % of what comes, but it roughly does, at every kind of position.",
        left_out="Forty tokens seem plenty. But at the flat positions it takes hundreds, and there are enough of these "
        "and of the middling ones to lower the share of all.",
    ),
    greedy_costs=Choice(
        a=(
            lambda nats_of_greedy: nats_of_greedy >= 3,
            "The model learned from people, so what it writes should be much like theirs. But people take the "
            "likeliest token only one time in three, and greedy takes it always.",
        ),
        b=(
            lambda nats_of_greedy: 2 <= nats_of_greedy < 3,
            "A real token is the likeliest one time in three. The other two make it dear, and greedy never pays for "
            "those. Its last tokens, often part of a loop, cost least of all.",
        ),
        c=lambda nats_of_greedy: nats_of_greedy < 2,
    ),
)
predict, see = chapter.predict, chapter.see
