"""Why an answer is wrong: from what is known of it to a sentence on the card."""
