"""From quarantine to approved: what people look at, what they decide, and how that is held to the bytes."""
