"""Text: tokens and back, casing, spacing, vocabulary, and reading files."""
