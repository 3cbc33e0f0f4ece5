"""Base parameters: the smallest set of inertial parameters that determines the joint forces [Gautier1990]."""
