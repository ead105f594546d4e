"""A shipment created twice because the retry lost its idempotency key."""
