"""What leaves the house: releases, and updates from one to the next."""
