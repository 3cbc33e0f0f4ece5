"""ROSAM II by the names of its paper: every function of Table 1, for a Robot or RobotData (Table 2).

Names and arguments are those of the paper; options that it does not have are given by keyword. Each docstring
gives the paper's definition and the function of this package that computes it.
Reference: H. Kawasaki, T. Shimizu, Development of the robot symbolic analysis system ROSAM II, J. Robotics
Society of Japan 17(3), 1999, pp. 408-415.
"""

from rikigaku.rosam.combination import combine
from rikigaku.rosam.data_reader import robot_from_data
from rikigaku.rosam.data_writer import robot_data
from rikigaku.rosam.loop_conditions import LoopCnd, Make_JCnd, Make_LoopCnd
from rikigaku.rosam.robot_data import BranchInfo, LinkInfo, RobotData
from rikigaku.rosam.rosam_dynamics import Get_Cmatrix, Get_Cvterm, Get_Gterm, Get_Mmatrix, Make_InvDyn
from rikigaku.rosam.rosam_kinematics import (
    EulerAn,
    EulerOr,
    Make_DDr,
    Make_Dr,
    Make_InvKine,
    Make_Ja,
    Make_Jw,
    Make_r,
    Make_Thand,
)
from rikigaku.rosam.rosam_parameters import (
    DifferentialModel,
    Make_DiffModel,
    Make_MDP1,
    Make_MDP2,
    Make_ODP,
    mdp_lists,
)
from rikigaku.rosam.rosam_poses import (
    Make_B,
    Make_p,
    Make_p0,
    Make_pBase,
    Make_q,
    Make_R,
    Make_R0,
    Make_RBase,
    Make_Serial,
    Make_T,
    Make_T0,
    Make_TBase,
)

# Imported only to be loaded: the first call then does not wait for these modules.
from rikigaku.symbolic.base_parameters import (  # noqa: F401
    closed_base_parameters,
    closed_symbolic_relations,
    regressor_relations,
)
from rikigaku.symbolic.formulas import trigonometric_sums  # noqa: F401
from rikigaku.symbolic.loops import explicit_relations  # noqa: F401

# Table 1 of the paper, in its order.
TABLE_1 = (
    *(Make_q, Make_T, Make_R, Make_p, Make_T0, Make_R0, Make_p0, Make_B, Make_TBase, Make_RBase, Make_pBase),
    *(EulerAn, EulerOr, Make_Ja, Make_Jw, Make_r, Make_Dr, Make_DDr, Make_InvKine, Make_Thand, Make_Serial),
    *(Make_ODP, Make_MDP1, Make_MDP2, Make_InvDyn, Make_DiffModel, Get_Mmatrix, Get_Cvterm, Get_Cmatrix),
    *(Get_Gterm, Make_LoopCnd, Make_JCnd),
)

__all__ = [
    "TABLE_1",
    "BranchInfo",
    "DifferentialModel",
    "LinkInfo",
    "LoopCnd",
    "RobotData",
    "combine",
    "mdp_lists",
    "robot_data",
    "robot_from_data",
    *(function.__name__ for function in TABLE_1),
]
