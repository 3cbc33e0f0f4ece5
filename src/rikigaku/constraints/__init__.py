"""What closed loops ask of a robot, in numbers: which rows and coordinates count, and postures that close."""
