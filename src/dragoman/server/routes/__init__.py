"""The routes of our own API, one module per noun."""
