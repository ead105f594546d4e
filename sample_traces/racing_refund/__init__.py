"""A refund claimed as completed although the payment service never answered."""
