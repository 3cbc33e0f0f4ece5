"""Robot files: TOML, URDF, MJCF, SDF; states of Pinocchio and MuJoCo."""
