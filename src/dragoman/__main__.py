"""`python -m dragoman` is the same as the command."""

from dragoman.cli import main

main()
