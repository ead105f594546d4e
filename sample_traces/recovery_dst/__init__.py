"""An account recovery that took the after-hours branch while people were at work: the clocks had changed."""
