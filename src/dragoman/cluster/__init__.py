"""The same training on many machines: corpora larger than memory, in shards, merged exactly to the same bits."""
