"""The robot as frozen data, the files it comes from, and the robots we ship."""
