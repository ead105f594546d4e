"""How a sample is recorded: a simulated clock, a loopback service, two ways of writing spans, and the exports."""
