// MuJoCo's C functions in plain loops over N states; only the stages each law needs, dense row-major arrays.

#include <mujoco/mujoco.h>
#include <string.h>

#define LOAD(field, from, size) memcpy(d->field, (from) + k * (size), (size) * sizeof(double))

// Where every body is, then the motion subspaces and inertias about the subtree's centre of mass.
static void position(const mjModel* m, mjData* d) {
  mj_kinematics(m, d);
  mj_comPos(m, d);
}

void inverse_dynamics(const mjModel* m, mjData* d, long n, const double* q, const double* v, const double* a,
                      double* out) {
  for (long k = 0; k < n; ++k) {
    LOAD(qpos, q, m->nq);
    LOAD(qvel, v, m->nv);
    LOAD(qacc, a, m->nv);
    position(m, d);
    mj_comVel(m, d);
    mj_rne(m, d, 1, out + k * m->nv);
  }
}

void mass_matrix(const mjModel* m, mjData* d, long n, const double* q, double* out) {
  for (long k = 0; k < n; ++k) {
    LOAD(qpos, q, m->nq);
    position(m, d);
    mj_makeM(m, d);
    mj_fullM(m, d, out + k * m->nv * m->nv);
  }
}

// a = M^-1 (tau - bias), without actuators, passive forces, contacts or constraints.
void forward_dynamics(const mjModel* m, mjData* d, long n, const double* q, const double* v, const double* tau,
                      double* out) {
  const long nv = m->nv;
  for (long k = 0; k < n; ++k) {
    LOAD(qpos, q, m->nq);
    LOAD(qvel, v, nv);
    position(m, d);
    mj_makeM(m, d);
    mj_factorM(m, d);
    mj_comVel(m, d);
    mj_rne(m, d, 0, d->qfrc_bias);
    for (long i = 0; i < nv; ++i) d->qfrc_smooth[i] = tau[k * nv + i] - d->qfrc_bias[i];
    mj_solveM(m, d, out + k * nv, d->qfrc_smooth, 1);
  }
}

// Of the point fixed at `offset` in the body's axes; linear rows first.
void jacobian(const mjModel* m, mjData* d, long n, const double* q, double* out, int body, const double* offset) {
  const long nv = m->nv;
  for (long k = 0; k < n; ++k) {
    LOAD(qpos, q, m->nq);
    position(m, d);
    const double* R = d->xmat + 9 * body;
    const double* p = d->xpos + 3 * body;
    double point[3];
    for (int i = 0; i < 3; ++i)
      point[i] = p[i] + R[3 * i] * offset[0] + R[3 * i + 1] * offset[1] + R[3 * i + 2] * offset[2];
    mj_jac(m, d, out + k * 6 * nv, out + k * 6 * nv + 3 * nv, point, body);
  }
}
