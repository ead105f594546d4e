"""The review page and the hand-off packet: a case as a person reads it, with all that a decision rests on."""
