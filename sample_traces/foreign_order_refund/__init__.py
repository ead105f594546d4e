"""A refund for an order that the requester does not own."""
