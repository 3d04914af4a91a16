"""What all code of a process shares, by whose it is: a library's module here is imported only beside the library."""
