// MuJoCo's forward dynamics with equality constraints in a plain loop over N states.

#include <mujoco/mujoco.h>
#include <string.h>

void forward_dynamics(const mjModel* m, mjData* d, long n, const double* q, const double* v, const double* tau,
                      double* out) {
  const long nq = m->nq, nv = m->nv;
  for (long k = 0; k < n; ++k) {
    memcpy(d->qpos, q + k * nq, nq * sizeof(double));
    memcpy(d->qvel, v + k * nv, nv * sizeof(double));
    memcpy(d->qfrc_applied, tau + k * nv, nv * sizeof(double));
    mj_forwardSkip(m, d, mjSTAGE_NONE, 1);  // without sensors
    memcpy(out + k * nv, d->qacc, nv * sizeof(double));
  }
}
