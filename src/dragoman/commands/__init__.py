"""The commands, a module for each kind; cli.py puts them together. What a command needs is imported when it runs."""
