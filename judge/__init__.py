"""The judge: asks what a learner wrote, compares it with what is right, explains what differs; it knows no course."""
