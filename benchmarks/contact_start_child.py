"""First simulation with contacts in a fresh process: `python -m benchmarks.contact_start_child NAME`.

NAME is arm, solo or talos. Prints the processor time [s] of reading the robot and finding its initial
configuration, and of the simulation up to its forces.
"""

import json
import sys
import time
from typing import Any


def main(name: str) -> None:
    """Times and prints."""
    import numpy as np

    import rikigaku as rk
    from benchmarks.legged import solo, talos

    begin = time.process_time()
    if name == "arm":
        robot: Any = rk.load("planar_3r")
        q: Any = [-np.pi / 6, -np.pi / 3, -np.pi / 3]
        torque: Any = None
        contacts: list[Any] = [rk.Contact("hand", rk.Plane(), friction=0.2)]
        v: Any = None
    else:
        scene = solo() if name == "solo" else talos(1.0)
        robot, q, v, torque, contacts = scene.robot, scene.q, scene.v, scene.torque, scene.contacts
    read = time.process_time()
    motion = rk.simulate(robot, q, v, torque, duration=0.05, contacts=contacts, rtol=1e-6, atol=1e-9)
    motion.forces["forces"]
    done = time.process_time()
    print(json.dumps({"read": read - begin, "simulate": done - read}))


if __name__ == "__main__":
    main(*sys.argv[1:])
