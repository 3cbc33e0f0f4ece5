"""A flexible pendulum in Exudyn: geometrically exact planar beams, falling from level."""

import exudyn as exu
import exudyn.itemInterface as item
import numpy as np


def falling_tip(length, mass, EA, EI, kGA, duration, elements, step, rotary=0.0):
    """Tip (x, y up) at the end of the motion; the hinge is at the origin, the rod starts along x at rest."""
    container = exu.SystemContainer()
    system = container.AddSystem()
    piece = length / elements
    nodes = [
        system.AddNode(item.NodeRigidBody2D(referenceCoordinates=[k * piece, 0, 0]))
        for k in range(elements + 1)
    ]
    for a, b in zip(nodes[:-1], nodes[1:], strict=True):
        beam = system.AddObject(
            item.ObjectBeamGeometricallyExact2D(
                nodeNumbers=[a, b],
                physicsLength=piece,
                physicsMassPerLength=mass / length,
                physicsCrossSectionInertia=rotary,
                physicsBendingStiffness=EI,
                physicsAxialStiffness=EA,
                physicsShearStiffness=kGA,
            )
        )
        marker = system.AddMarker(item.MarkerBodyMass(bodyNumber=beam))
        system.AddLoad(item.LoadMassProportional(markerNumber=marker, loadVector=[0, -9.81, 0]))
    ground = system.AddNode(item.NodePointGround(referenceCoordinates=[0, 0, 0]))
    fixed = system.AddMarker(item.MarkerNodeCoordinate(nodeNumber=ground, coordinate=0))
    for k in range(2):
        hinge = system.AddMarker(item.MarkerNodeCoordinate(nodeNumber=nodes[0], coordinate=k))
        system.AddObject(item.CoordinateConstraint(markerNumbers=[fixed, hinge]))
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
