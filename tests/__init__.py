"""The chapters' test functions, called from notebooks and by pytest, and the project's own tests."""
