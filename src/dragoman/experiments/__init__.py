"""The tables and figures of the papers, and questions beyond them, as experiments over corpora."""
