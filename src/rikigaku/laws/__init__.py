"""The laws of mechanics, each written once over any kind of number."""
