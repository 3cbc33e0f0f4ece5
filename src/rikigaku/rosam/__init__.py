"""ROSAM II by the names of its paper: every function of Table 1, for a Robot or RobotData (Table 2).

Names are those of the paper in Python's case: mathematical objects keep their letters (make_T, make_DDr,
get_Mmatrix), words are lower case (make_mdp2, make_invkine). Each docstring gives the paper's definition and
the function of this package that computes it.
Reference: H. Kawasaki, T. Shimizu, Development of the robot symbolic analysis system ROSAM II, J. Robotics
Society of Japan 17(3), 1999, pp. 408-415.
"""

from rikigaku.rosam.data_reader import robot_from_data
from rikigaku.rosam.data_writer import robot_data
from rikigaku.rosam.robot_data import BranchInfo, LinkInfo, RobotData
from rikigaku.rosam.rosam_dynamics import (
    get_Cmatrix,
    get_Cvterm,
    get_Gterm,
    get_Mmatrix,
    loopcnd_formulas,
    make_diffmodel,
    make_invdyn,
    make_jcnd,
    make_loopcnd,
    make_mdp1,
    make_mdp2,
    make_odp,
    mdp_lists,
)
from rikigaku.rosam.rosam_kinematics import (
    euler_an,
    euler_or,
    make_DDr,
    make_Dr,
    make_invkine,
    make_Ja,
    make_Jw,
    make_r,
    make_thand,
)
from rikigaku.rosam.rosam_poses import (
    make_B,
    make_p,
    make_p0,
    make_pBase,
    make_q,
    make_R,
    make_R0,
    make_RBase,
    make_serial,
    make_T,
    make_T0,
    make_TBase,
)

# Imported only to be loaded: the first call then does not wait for these modules.
from rikigaku.symbolic.base_parameters import (  # noqa: F401
    closed_base_parameters,
    closed_symbolic_relations,
    regressor_relations,
)
from rikigaku.symbolic.formulas import trigonometric_sums  # noqa: F401
from rikigaku.symbolic.loops import explicit_relations  # noqa: F401

# Name in the paper -> function here.
TABLE_1 = {
    "Make_q": make_q,
    "Make_T": make_T,
    "Make_R": make_R,
    "Make_p": make_p,
    "Make_T0": make_T0,
    "Make_R0": make_R0,
    "Make_p0": make_p0,
    "Make_B": make_B,
    "Make_TBase": make_TBase,
    "Make_RBase": make_RBase,
    "Make_pBase": make_pBase,
    "EulerAn": euler_an,
    "EulerOr": euler_or,
    "Make_Ja": make_Ja,
    "Make_Jw": make_Jw,
    "Make_r": make_r,
    "Make_Dr": make_Dr,
    "Make_DDr": make_DDr,
    "Make_InvKine": make_invkine,
    "Make_Thand": make_thand,
    "Make_Serial": make_serial,
    "Make_ODP": make_odp,
    "Make_MDP1": make_mdp1,
    "Make_MDP2": make_mdp2,
    "Make_InvDyn": make_invdyn,
    "Make_DiffModel": make_diffmodel,
    "Get_Mmatrix": get_Mmatrix,
    "Get_Cvterm": get_Cvterm,
    "Get_Cmatrix": get_Cmatrix,
    "Get_Gterm": get_Gterm,
    "Make_LoopCnd": make_loopcnd,
    "Make_JCnd": make_jcnd,
}

__all__ = [
    "TABLE_1",
    "BranchInfo",
    "LinkInfo",
    "RobotData",
    "loopcnd_formulas",
    "mdp_lists",
    "robot_data",
    "robot_from_data",
    *(function.__name__ for function in TABLE_1.values()),
]
