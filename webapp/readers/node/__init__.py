"""Objects as Node shows them."""
