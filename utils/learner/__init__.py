"""What a learner sees and keeps: cards, progress, and their own components collected in my_gpt/."""
