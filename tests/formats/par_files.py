"""Files of SYMORO typed by hand from published tables (Khalil and Dombre, Modeling, Identification and
Control of Robots, 2002: RX-90 table 3.1, Stanford arm, SR400 chapter 7), and one of each other feature."""


def symbols(count: int) -> str:
    """The lists of inertial parameters, friction and rotors, each value a symbol."""
    keys = ("XX", "XY", "XZ", "YY", "YZ", "ZZ", "MX", "MY", "MZ", "M", "IA", "FV", "FS")
    return "\n".join(f"{key} = {{{', '.join(f'{key}{j}' for j in range(1, count + 1))}}}" for key in keys)


RX90 = f"""(* Robotname = 'RX90' *)
NL = 6
NJ = 6
NF = 6
Type = 0

(* Geometric parameters *)
ant = {{0,1,2,3,4,5}}
sigma = {{0,0,0,0,0,0}}
b = {{0,0,0,0,0,0}}
d = {{0,0,D3,0,0,0}}
r = {{0,0,0,RL4,0,0}}
gamma = {{0,0,0,0,0,0}}
alpha = {{0,Pi/2,0,-Pi/2,Pi/2,-Pi/2}}
mu = {{1,1,1,1,1,1}}
theta = {{th1,th2,th3,th4,th5,th6}}

(* Dynamic parameters *)
{symbols(6)}
FX = {{0,0,0,0,0,FX6}}
G = {{0,0,G3}}
Z = {{1,0,0,0,0,1,0,0,0,0,1,0,0,0,0,1}}
(* End of definition *)
"""

STANFORD = f"""(* Robotname = 'Stanford' *)
NL = 6
NJ = 6
Type = 0  (* simple *)
Ant = {{0,1,2,
        3,4,5}}
Sigma = {{0,0,1,0,0,0}}
Mu = {{1,1,1,1,1,1}}
gamma = {{0,0,0,0,0,0}}
B = {{0,0,0,0,0,0}}
Alpha = {{0,-Pi/2,Pi/2,0,-Pi/2,Pi/2}}
d = {{0,0,0,0,0,0}}
Theta = {{t1,t2,0,t4,t5,t6}}
R = {{0,RL2,r3,0,0,0}}
{symbols(6)}
G = {{0,0,G3}}
"""

SR400 = f"""(* Robotname = 'SR400' *)
NL = 8
NJ = 9
NF = 10
Type = 2
is_mobile = 0

ant   = {{0, 1, 2, 3, 4, 5, 1, 7, 8, 3}}
sigma = {{0, 0, 0, 0, 0, 0, 0, 0, 0, 2}}
mu    = {{1, 1, 0, 1, 1, 1, 1, 0, 0, 0}}
gamma = {{0, 0, 0, 0, 0, 0, 0, 0, 0, pi/2}}
b     = {{0, 0, 0, 0, 0, 0, 0, 0, 0, 0}}
alpha = {{0, -pi/2, 0, -pi/2, pi/2, -pi/2, -pi/2, 0, 0, 0}}
d     = {{0, D2, D3, D4, 0, 0, D2, D8, D3, -D8}}
theta = {{th1, th2, th3, th4, th5, th6, th7, th8, th9, 0}}
r     = {{0, 0, 0, RL4, 0, 0, 0, 0, 0, 0}}
{symbols(8)}
G = {{0, 0, G3}}
"""

FLOATING = """(* Robotname = 'tug' *)
NL = 3
NJ = 3
Type = 1
is_floating = True
ant = {0,1,1}
sigma = {0,1,2}
mu = {1,0,0}
gamma = {0,pi/3,0}
b = {0,0.2,0}
alpha = {0.3,-pi/2,0}
d = {0.1,0.2,0.3}
theta = {q1 - pi/2,0.4,0}
r = {0,q2 + 0.5,Sqrt[2]/10}
M = {10,2,1,0}
MX = {0,0.2,0,0}
XX = {1,0.1,0.1,0}
YY = {1,0.2,0.1,0}
ZZ = {1,0.2,0.1,0}
IA = {0,0.01,0,0}
eta = {0,1,0}
k = {0,50,0}
G = {0,0,0}
"""

PAR = (RX90, STANFORD, SR400, FLOATING)
