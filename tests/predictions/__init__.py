"""What the choices of a chapter's predictions mean, and why the wrong ones tempt: a module for each chapter."""
