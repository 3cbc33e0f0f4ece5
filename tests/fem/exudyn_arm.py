"""A flexible pendulum in Exudyn: geometrically exact planar beams, falling from level."""

from itertools import pairwise

import exudyn as exu
import exudyn.itemInterface as items  # noqa: N813
import numpy as np


def falling_tip(length, mass, EA, EI, kGA, duration, elements, step, rotary=0.0):
    """Tip (x, y up) at the end of the motion; the hinge is at the origin, the rod starts along x at rest."""
    container = exu.SystemContainer()
    system = container.AddSystem()
    piece = length / elements
    nodes = [
        system.AddNode(items.NodeRigidBody2D(referenceCoordinates=[k * piece, 0, 0]))
        for k in range(elements + 1)
    ]
    for a, b in pairwise(nodes):
        beam = system.AddObject(
            items.ObjectBeamGeometricallyExact2D(
                nodeNumbers=[a, b],
                physicsLength=piece,
                physicsMassPerLength=mass / length,
                physicsCrossSectionInertia=rotary,
                physicsBendingStiffness=EI,
                physicsAxialStiffness=EA,
                physicsShearStiffness=kGA,
            )
        )
        marker = system.AddMarker(items.MarkerBodyMass(bodyNumber=beam))
        system.AddLoad(items.LoadMassProportional(markerNumber=marker, loadVector=[0, -9.81, 0]))
    ground = system.AddNode(items.NodePointGround(referenceCoordinates=[0, 0, 0]))
    fixed = system.AddMarker(items.MarkerNodeCoordinate(nodeNumber=ground, coordinate=0))
    for k in range(2):
        hinge = system.AddMarker(items.MarkerNodeCoordinate(nodeNumber=nodes[0], coordinate=k))
        system.AddObject(items.CoordinateConstraint(markerNumbers=[fixed, hinge]))
    system.Assemble()
    settings = exu.SimulationSettings()
    settings.timeIntegration.numberOfSteps = round(duration / step)
    settings.timeIntegration.endTime = duration
    settings.timeIntegration.verboseMode = 0
    settings.timeIntegration.newton.useModifiedNewton = False
    settings.timeIntegration.generalizedAlpha.spectralRadius = 1.0
    settings.solutionSettings.writeSolutionToFile = False
    settings.solutionSettings.coordinatesSolutionFileName = ""
    system.SolveDynamic(settings)
    return np.array(system.GetNodeOutput(nodes[-1], exu.OutputVariableType.Position))[:2]
