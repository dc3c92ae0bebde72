"""Will dragoman pay off on your texts? Past translations are replayed in order, each scored before it is learned."""
