"""The libraries we measure against, each as a loop in its own language."""
