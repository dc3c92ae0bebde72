"""Interactive translation: completing what a person types, key by key; and a simulated user, to tell what it saves."""
