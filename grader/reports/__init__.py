"""What people get of the grades: tables, files for other programs, pages for learners and for their instructor."""
