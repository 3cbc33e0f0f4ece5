// Pinocchio's dynamics with loops in a plain C++ loop over N states, behind a C interface.
//
// The robot comes in joint by joint, all axes along z (Pinocchio's fastest joints); a loop is a point on one
// body that stays on a point of another.

#include <pinocchio/algorithm/constrained-dynamics.hpp>
#include <pinocchio/algorithm/loop-constrained-aba.hpp>
#include <pinocchio/algorithm/proximal.hpp>
#include <pinocchio/multibody.hpp>

#include <memory>
#include <string>

namespace pin = pinocchio;
using In = Eigen::Map<const Eigen::VectorXd>;
using Out = Eigen::Map<Eigen::VectorXd>;

struct Robot {
  pin::Model model;
  std::unique_ptr<pin::Data> data;
  PINOCCHIO_STD_VECTOR_WITH_EIGEN_ALLOCATOR(pin::RigidConstraintModel) constraints;
  PINOCCHIO_STD_VECTOR_WITH_EIGEN_ALLOCATOR(pin::RigidConstraintData) workspaces;
  pin::ProximalSettings settings;
};

static pin::SE3 placement(const double* rotation, const double* position) {
  return pin::SE3(Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(rotation),
                  Eigen::Map<const Eigen::Vector3d>(position));
}

extern "C" {

void* robot_new() { return new Robot(); }

// Returns the index of the new joint, or -1 for a type this file does not know.
int robot_add_joint(void* handle, int parent, const char* name, const char* type, const double* rotation,
                    const double* position, double mass, const double* com, const double* inertia) {
  auto& model = static_cast<Robot*>(handle)->model;
  const std::string t(type);
  pin::JointModel joint;
  if (t == "Revolute") joint = pin::JointModelRZ();
  else if (t == "Prismatic") joint = pin::JointModelPZ();
  else if (t == "Free") joint = pin::JointModelFreeFlyer();
  else return -1;
  const auto index = model.addJoint(parent, joint, placement(rotation, position), name);
  const Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>> I(inertia);
  model.appendBodyToJoint(index, pin::Inertia(mass, Eigen::Map<const Eigen::Vector3d>(com), Eigen::Matrix3d(I)),
                          pin::SE3::Identity());
  return static_cast<int>(index);
}

void robot_add_loop(void* handle, int joint1, const double* R1, const double* p1, int joint2, const double* R2,
                    const double* p2) {
  auto& r = *static_cast<Robot*>(handle);
  r.constraints.emplace_back(pin::CONTACT_3D, r.model, joint1, placement(R1, p1), joint2, placement(R2, p2),
                             pin::LOCAL);
}

// Call once, after the last joint and loop. mu regularises; the proximal iteration takes its error away.
void robot_finish(void* handle, const double* gravity, double accuracy, double mu, int iterations) {
  auto& r = *static_cast<Robot*>(handle);
  r.model.gravity.linear() = Eigen::Map<const Eigen::Vector3d>(gravity);
  r.data = std::make_unique<pin::Data>(r.model);
  for (const auto& c : r.constraints) r.workspaces.emplace_back(c);
  pin::initConstraintDynamics(r.model, *r.data, r.constraints, r.workspaces);
  r.settings = pin::ProximalSettings(accuracy, mu, iterations);
}

void forward_dynamics(void* handle, long n, const double* q, const double* v, const double* tau, double* out) {
  auto& r = *static_cast<Robot*>(handle);
  const long nq = r.model.nq, nv = r.model.nv;
  for (long k = 0; k < n; ++k) {
    Out(out + k * nv, nv) =
        pin::constraintDynamics(r.model, *r.data, In(q + k * nq, nq), In(v + k * nv, nv), In(tau + k * nv, nv),
                                r.constraints, r.workspaces, r.settings);
  }
}

// Call once before articulated_bodies, which takes its elimination order from it.
void robot_order(void* handle, double accuracy, double mu, int iterations) {
  auto& r = *static_cast<Robot*>(handle);
  pin::computeJointMinimalOrdering(r.model, *r.data, r.constraints);
  r.settings = pin::ProximalSettings(accuracy, mu, iterations);
}

// The articulated-body algorithm for loops.
void articulated_bodies(void* handle, long n, const double* q, const double* v, const double* tau, double* out) {
  auto& r = *static_cast<Robot*>(handle);
  const long nq = r.model.nq, nv = r.model.nv;
  for (long k = 0; k < n; ++k) {
    Out(out + k * nv, nv) = pin::lcaba(r.model, *r.data, In(q + k * nq, nq), In(v + k * nv, nv),
                                       In(tau + k * nv, nv), r.constraints, r.workspaces, r.settings);
  }
}
}
