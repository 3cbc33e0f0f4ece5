"""What a number can be: a float or array, a traced node, an exact polynomial, a formula of symbols."""
