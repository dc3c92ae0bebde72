"""What an open project is: its state, who may read and change it, and what follows from both."""
