"""Chapter 0's predictions: what each answer says of the figure's numbers, and why a wrong one tempts."""

from utils.learner.predictions import Choice, Number, Predictions, Rows

chapter = Predictions(
    __name__,
    ties=Number(
        within=20,
        low="The first two merges of the line about the hens had no tie, and in long texts some pairs do lead. But in "
        "433 bytes most pairs occur once or twice, and small counts are often equal.",
        high="Ties are everywhere, but there are only 168 merges.",
    ),
    bytes_of_the_passage=Number(
        within=0.5,
        low="The passage is new to the merges, so they seem to be of no use to it. But letters such as `th` and `er` "
        "stand together in any English text.",
        high="Both texts are English, so what joins letters in one should join them in the other. But most of the 168 "
        "merges spell out words of the tale that the passage doesn't have.",
    ),
    as_bytes=Choice(
        a=(
            lambda usual_cut, single_bytes: single_bytes < usual_cut + 0.5,
            "To a reader who sees letters it is the same text. The model sees ids, and these are others.",
        ),
        b=(
            lambda usual_cut, single_bytes, counts_alone: usual_cut + 0.5 <= single_bytes < counts_alone,
            "An odd cut should be harder to read, and still tell more than counts, which read nothing. But the model "
            "takes whatever it reads as a sign of what comes next, and an odd cut is a false sign.",
        ),
        c=(
            lambda single_bytes, counts_alone: single_bytes >= counts_alone,
            "A text that misleads can be worse than counts, which read nothing.",
        ),
    ),
    never_read=Choice(
        a=(
            lambda in_one_direction, norm_beside_others: in_one_direction < 20 and norm_beside_others < 1,
            "A row that is never read should stay as it began. But training has moved these rows too: the same table "
            "also scores the next token, and every row takes part in that at every step.",
        ),
        b=(
            lambda in_one_direction, norm_beside_others: in_one_direction >= 20 and norm_beside_others < 1,
            "If they share a direction, they were pushed; and it seems that only what is used grows. But a push that "
            "is the same at every step can make a row long.",
        ),
        c=(
            lambda in_one_direction, norm_beside_others: in_one_direction >= 20 and norm_beside_others >= 1,
            "It sounds as if they had been trained.",
        ),
    ),
    lost_merge=Rows(
        due=lambda bits: bits > 0.2,
        others="What builds on a merge is lost with it, so a merge with much on it, such as `es`, seems to be worth "
        "much. But a text misses only what occurs in it.",
        left_out="A merge on which little builds, such as ` the`, seems easy to do without, and so does any single one "
        "of 3839. But the first few merges are those of the commonest letters and words.",
    ),
    letters_in_rows=Choice(
        a=(
            lambda gain_of_first, gain_of_last: gain_of_first <= 0.1 and gain_of_last <= 0.1,
            "An id says nothing of spelling, so its row seems to say nothing either. But a row is trained on how the "
            "word is used, and some letters go with a use.",
        ),
        b=(
            lambda gain_of_first, gain_of_last: gain_of_first > 0.1 >= gain_of_last,
            "To you a word begins with its first letter. To the model no letter comes first.",
        ),
        c=(
            lambda gain_of_first, gain_of_last: gain_of_last > 0.1 >= gain_of_first,
            "A row is said to hold what the word means, and letters are no part of that.",
        ),
        d=(
            lambda gain_of_first, gain_of_last: gain_of_first > 0.1 and gain_of_last > 0.1,
            "Large models spell well, so their rows should hold all letters. This one read children's books, where "
            "hardly anything depends on what a word begins with.",
        ),
    ),
)
predict, see = chapter.predict, chapter.see
