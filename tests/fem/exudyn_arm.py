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
                length=piece,
                massPerLength=mass / length,
                crossSectionInertia=rotary,
                bendingStiffness=EI,
                axialStiffness=EA,
                shearStiffness=kGA,
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
    settings.solution.file.write = False
    settings.solution.file.name = ""
    system.SolveDynamic(settings)
    return np.array(system.GetNodeOutput(nodes[-1], exu.OutputVariableType.Position))[:2]


def falling_hand(length, mass, stiffness, rotary, bend, duration, elements, step):
    """Hand (x, y, z up) of two rods in space, falling from rest: a hinge about y, and an elbow about z.

    stiffness: EA, kGA (twice), GJ, EI (twice); rotary: inertia of the section a length, 3 numbers; bend: the
    angle of the elbow at the start. Geometrically exact beams interpolated on SE(3), Lie group nodes.
    """
    container = exu.SystemContainer()
    system = container.AddSystem()
    section = exu.BeamSection()
    section.massPerLength = mass / length
    section.inertia = np.diag(rotary)
    section.stiffnessMatrix = np.diag(stiffness)
    piece, rods = length / elements, []
    for start, angle in ((np.zeros(3), 0.0), (np.array([length, 0, 0]), bend)):
        way = np.array([np.cos(angle), np.sin(angle), 0])
        nodes = [
            system.AddNode(
                items.NodeRigidBodyRotVecLG(referenceCoordinates=[*(start + k * piece * way), 0, 0, angle])
            )
            for k in range(elements + 1)
        ]
        for pair in pairwise(nodes):
            beam = system.AddObject(
                items.ObjectBeamGeometricallyExact(nodeNumbers=list(pair), length=piece, sectionData=section)
            )
            marker = system.AddMarker(items.MarkerBodyMass(bodyNumber=beam))
            system.AddLoad(items.LoadMassProportional(markerNumber=marker, loadVector=[0, 0, -9.81]))
        rods.append(nodes)
    ground = system.AddObject(items.ObjectGround())
    fixed = system.AddMarker(items.MarkerBodyRigid(bodyNumber=ground))
    ends = [
        system.AddMarker(items.MarkerNodeRigid(nodeNumber=n)) for n in (rods[0][0], rods[0][-1], rods[1][0])
    ]
    for pair, axes in (((fixed, ends[0]), [1, 1, 1, 1, 0, 1]), ((ends[1], ends[2]), [1, 1, 1, 1, 1, 0])):
        system.AddObject(items.GenericJoint(markerNumbers=list(pair), constrainedAxes=axes))
    system.Assemble()
    settings = exu.SimulationSettings()
    settings.timeIntegration.numberOfSteps = round(duration / step)
    settings.timeIntegration.endTime = duration
    settings.timeIntegration.verboseMode = 0
    settings.timeIntegration.generalizedAlpha.spectralRadius = 0.9
    settings.timeIntegration.newton.useModifiedNewton = False
    settings.solution.file.write = False
    settings.solution.file.name = ""
    system.SolveDynamic(settings)
    return np.array(system.GetNodeOutput(rods[1][-1], exu.OutputVariableType.Position))
