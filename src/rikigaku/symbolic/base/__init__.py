"""Base parameters: the fewest numbers the joint forces depend on."""
