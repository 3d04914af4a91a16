"""How the bundled reference model was made: `python -m training --corpus DIRECTORY`."""
