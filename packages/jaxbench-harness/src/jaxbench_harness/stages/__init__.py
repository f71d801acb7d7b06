"""The stages of an evaluation, as the supervisor sees them."""
