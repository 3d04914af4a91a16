"""What leaves the house: releases for learners, with or without solutions, and the way from one to the next."""
