"""An open project: its state, access to it, and the operations on it."""
