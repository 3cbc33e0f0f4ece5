"""Native time integrators: explicit Runge-Kutta, Radau IIA, event location."""
