"""What Python shows and dumps: reprs of models and dicts, names in snake_case."""
