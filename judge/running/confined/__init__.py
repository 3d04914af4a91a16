"""Where a learner's code is confined: a process that has imported torch, of which a child is forked for each answer."""
