"""Foundations: errors, validation of arguments, arrays, files, disk cache."""
