// Pinocchio's laws in plain C++ loops over N states, behind a C interface.
//
// The robot comes in joint by joint (numbers Pinocchio's own URDF reader produced), so this one file
// builds both against the prebuilt library and header-only for this very processor: nothing crosses
// between code compiled with different Eigen alignments. Every array is dense and row-major.

#include <pinocchio/algorithm/aba-derivatives.hpp>
#include <pinocchio/algorithm/aba.hpp>
#include <pinocchio/algorithm/crba.hpp>
#include <pinocchio/algorithm/frames.hpp>
#include <pinocchio/algorithm/jacobian.hpp>
#include <pinocchio/algorithm/regressor.hpp>
#include <pinocchio/algorithm/rnea-derivatives.hpp>
#include <pinocchio/algorithm/rnea.hpp>
#include <pinocchio/multibody.hpp>

#include <memory>
#include <string>

namespace pin = pinocchio;
using Matrix = Eigen::MatrixXd;
using RowMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using In = Eigen::Map<const Eigen::VectorXd>;
using Out = Eigen::Map<Eigen::VectorXd>;
using OutMatrix = Eigen::Map<RowMatrix>;

struct Robot {
  pin::Model model;
  std::unique_ptr<pin::Data> data;
  pin::FrameIndex frame = 0;
  Matrix J;
};

static pin::SE3 placement(const double* rotation, const double* position) {
  return pin::SE3(Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(rotation),
                  Eigen::Map<const Eigen::Vector3d>(position));
}

// Pinocchio's recursions write one triangle of M; a dense answer has both.
static void write_symmetric(Matrix& M, double* out) {
  M.triangularView<Eigen::StrictlyLower>() = M.transpose().triangularView<Eigen::StrictlyLower>();
  OutMatrix(out, M.rows(), M.cols()) = M;
}

static void write(const Matrix& A, double* out) { OutMatrix(out, A.rows(), A.cols()) = A; }

static void write(const pin::Data::RowMatrixXs& A, double* out) { OutMatrix(out, A.rows(), A.cols()) = A; }

extern "C" {

void* robot_new() { return new Robot(); }

void robot_delete(void* handle) { delete static_cast<Robot*>(handle); }

// Returns the index of the new joint, or -1 for a type this file does not know.
int robot_add_joint(void* handle, int parent, const char* name, const char* type, const double* axis,
                    const double* rotation, const double* position, double mass, const double* com,
                    const double* inertia) {
  auto& model = static_cast<Robot*>(handle)->model;
  const Eigen::Vector3d u(axis[0], axis[1], axis[2]);
  const std::string t(type);
  pin::JointModel joint;
  if (t == "JointModelRX") joint = pin::JointModelRX();
  else if (t == "JointModelRY") joint = pin::JointModelRY();
  else if (t == "JointModelRZ") joint = pin::JointModelRZ();
  else if (t == "JointModelPX") joint = pin::JointModelPX();
  else if (t == "JointModelPY") joint = pin::JointModelPY();
  else if (t == "JointModelPZ") joint = pin::JointModelPZ();
  else if (t == "JointModelRevoluteUnaligned") joint = pin::JointModelRevoluteUnaligned(u);
  else if (t == "JointModelPrismaticUnaligned") joint = pin::JointModelPrismaticUnaligned(u);
  else if (t == "JointModelFreeFlyer") joint = pin::JointModelFreeFlyer();
  else return -1;
  const auto index = model.addJoint(parent, joint, placement(rotation, position), name);
  const Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>> I(inertia);
  model.appendBodyToJoint(index, pin::Inertia(mass, Eigen::Map<const Eigen::Vector3d>(com), Eigen::Matrix3d(I)),
                          pin::SE3::Identity());
  return static_cast<int>(index);
}

// Call once, after the last joint: the frame whose Jacobian is asked for, and the workspace.
void robot_finish(void* handle, int joint, const double* rotation, const double* position) {
  auto& r = *static_cast<Robot*>(handle);
  r.frame = r.model.addFrame(pin::Frame("measured", joint, 0, placement(rotation, position), pin::OP_FRAME));
  r.data = std::make_unique<pin::Data>(r.model);
  r.J = Matrix::Zero(6, r.model.nv);
}

int robot_nq(void* handle) { return static_cast<Robot*>(handle)->model.nq; }
int robot_nv(void* handle) { return static_cast<Robot*>(handle)->model.nv; }

#define EACH_STATE                                                          \
  auto& r = *static_cast<Robot*>(handle);                                   \
  auto& model = r.model;                                                    \
  auto& data = *r.data;                                                     \
  const long nq = model.nq, nv = model.nv;                                  \
  (void)data, (void)nq, (void)nv;                                           \
  for (long k = 0; k < n; ++k)
#define Q In(q + k * nq, nq)
#define V In(v + k * nv, nv)
#define A In(a + k * nv, nv)
#define TAU In(tau + k * nv, nv)

void inverse_dynamics(void* handle, long n, const double* q, const double* v, const double* a, double* out) {
  EACH_STATE { Out(out + k * nv, nv) = pin::rnea(model, data, Q, V, A); }
}

void mass_matrix_world(void* handle, long n, const double* q, double* out) {
  EACH_STATE {
    pin::crba(model, data, Q, pin::Convention::WORLD);
    write_symmetric(data.M, out + k * nv * nv);
  }
}

void mass_matrix_local(void* handle, long n, const double* q, double* out) {
  EACH_STATE {
    pin::crba(model, data, Q, pin::Convention::LOCAL);
    write_symmetric(data.M, out + k * nv * nv);
  }
}

void forward_dynamics_world(void* handle, long n, const double* q, const double* v, const double* tau,
                            double* out) {
  EACH_STATE { Out(out + k * nv, nv) = pin::aba(model, data, Q, V, TAU, pin::Convention::WORLD); }
}

void forward_dynamics_local(void* handle, long n, const double* q, const double* v, const double* tau,
                            double* out) {
  EACH_STATE { Out(out + k * nv, nv) = pin::aba(model, data, Q, V, TAU, pin::Convention::LOCAL); }
}

// Only the joints that carry the frame; the other columns of J are zero from the start and stay so.
void jacobian_frame(void* handle, long n, const double* q, double* out) {
  EACH_STATE {
    pin::computeFrameJacobian(model, data, Q, r.frame, pin::LOCAL_WORLD_ALIGNED, r.J);
    write(r.J, out + k * 6 * nv);
  }
}

void jacobian_all_joints(void* handle, long n, const double* q, double* out) {
  EACH_STATE {
    pin::computeJointJacobians(model, data, Q);
    pin::updateFramePlacement(model, data, r.frame);
    pin::getFrameJacobian(model, data, r.frame, pin::LOCAL_WORLD_ALIGNED, r.J);
    write(r.J, out + k * 6 * nv);
  }
}

// d tau / d(q, v, a), one nv x nv block after the other.
void inverse_dynamics_derivative(void* handle, long n, const double* q, const double* v, const double* a,
                                 double* out) {
  EACH_STATE {
    pin::computeRNEADerivatives(model, data, Q, V, A);
    double* o = out + k * 3 * nv * nv;
    write(data.dtau_dq, o);
    write(data.dtau_dv, o + nv * nv);
    write_symmetric(data.M, o + 2 * nv * nv);
  }
}

// d a / d(q, v, tau), one nv x nv block after the other; the last one is the inverse of M.
void forward_dynamics_derivative(void* handle, long n, const double* q, const double* v, const double* tau,
                                 double* out) {
  EACH_STATE {
    pin::computeABADerivatives(model, data, Q, V, TAU);
    double* o = out + k * 3 * nv * nv;
    write(data.ddq_dq, o);
    write(data.ddq_dv, o + nv * nv);
    write(data.Minv, o + 2 * nv * nv);
  }
}

void regressor(void* handle, long n, const double* q, const double* v, const double* a, double* out) {
  const long columns = 10 * (static_cast<Robot*>(handle)->model.njoints - 1);
  EACH_STATE { write(pin::computeJointTorqueRegressor(model, data, Q, V, A), out + k * nv * columns); }
}

}  // extern "C"
