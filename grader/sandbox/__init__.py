"""Where answers run: a bubblewrap box, a process in it that imported torch, and a child of that for each answer."""
