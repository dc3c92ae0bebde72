"""The models, one file each: estimated from integer statistics that a sentence pair adds and can take away again."""
