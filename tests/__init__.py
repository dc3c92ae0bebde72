"""A package, so that `tests` is this one: a library installs another one under the same name."""
