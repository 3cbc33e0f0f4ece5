"""Laws as exact formulas: evaluation, output, simplification."""
