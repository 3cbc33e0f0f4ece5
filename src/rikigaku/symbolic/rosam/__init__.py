"""ROSAM II under its own names: every function of the paper's Table 1, over our Robot (or RobotData).

Names are the paper's in Python's case: names of mathematical objects keep their letters (make_T, make_DDr,
get_Mmatrix), words are small (make_mdp2, make_invkine). Each function says what the paper says and which of
ours it is; nothing is computed here that is not computed there.
Reference: H. Kawasaki, T. Shimizu, Development of the robot symbolic analysis system ROSAM II, J. Robotics
Society of Japan 17(3), 1999, pp. 408-415.
"""

# Loaded with the names, not with the first call that needs them.
from rikigaku.symbolic import combining  # noqa: F401
from rikigaku.symbolic.base import closed, closed_symbols, regressor  # noqa: F401
from rikigaku.symbolic.loops import relations  # noqa: F401
from rikigaku.symbolic.rosam.data import BranchInfo, LinkInfo, RobotData
from rikigaku.symbolic.rosam.dynamics import (
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
from rikigaku.symbolic.rosam.kinematics import (
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
from rikigaku.symbolic.rosam.poses import (
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
from rikigaku.symbolic.rosam.read import robot_from_data
from rikigaku.symbolic.rosam.write import robot_data

# The paper's name, and ours.
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
