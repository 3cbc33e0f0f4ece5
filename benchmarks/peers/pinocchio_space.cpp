// The generalized Jacobian of a free-floating robot composed of Pinocchio's calls: follows pinocchio_loop.cpp.
//
// Pinocchio has no such law. What a user writes: the momentum map (or the mass matrix), the Jacobian of the frame, and
// the solution with the base's 6 x 6 block, J* = J_arm - J_base (base block)^-1 (arm block), whole or part by part.

#include <pinocchio/algorithm/centroidal.hpp>

#include <Eigen/Cholesky>
#include <Eigen/LU>

extern "C" {

void generalized_jacobian_momentum(void* handle, long n, const double* q, double* out) {
  EACH_STATE {
    pin::computeCentroidalMap(model, data, Q);
    pin::updateFramePlacement(model, data, r.frame);
    pin::getFrameJacobian(model, data, r.frame, pin::LOCAL_WORLD_ALIGNED, r.J);
    const Eigen::Matrix<double, 6, 6> base = data.Ag.leftCols<6>();
    const Eigen::PartialPivLU<Eigen::Matrix<double, 6, 6>> lu(base);
    Eigen::Matrix<double, 6, Eigen::Dynamic> X = lu.solve(data.Ag.rightCols(nv - 6));
    OutMatrix J(out + k * 6 * (nv - 6), 6, nv - 6);
    J = r.J.rightCols(nv - 6);
    J.noalias() -= r.J.leftCols<6>() * X;
  }
}

void generalized_jacobian_mass(void* handle, long n, const double* q, double* out) {
  EACH_STATE {
    pin::crba(model, data, Q, pin::Convention::WORLD);  // leaves the joint Jacobians in data
    pin::updateFramePlacement(model, data, r.frame);
    pin::getFrameJacobian(model, data, r.frame, pin::LOCAL_WORLD_ALIGNED, r.J);
    const Eigen::Matrix<double, 6, 6> base = data.M.topLeftCorner<6, 6>().selfadjointView<Eigen::Upper>();
    const Eigen::LLT<Eigen::Matrix<double, 6, 6>> factors(base);
    Eigen::Matrix<double, 6, Eigen::Dynamic> X = factors.solve(data.M.topRightCorner(6, nv - 6));
    OutMatrix J(out + k * 6 * (nv - 6), 6, nv - 6);
    J = r.J.rightCols(nv - 6);
    J.noalias() -= r.J.leftCols<6>() * X;
  }
}

// About the centre of mass the base's block is triangular: rotations by a 3 x 3 system, then translations alone.
void generalized_jacobian_center(void* handle, long n, const double* q, double* out) {
  EACH_STATE {
    pin::computeCentroidalMap(model, data, Q);
    pin::updateFramePlacement(model, data, r.frame);
    pin::getFrameJacobian(model, data, r.frame, pin::LOCAL_WORLD_ALIGNED, r.J);
    const auto arm = data.Ag.rightCols(nv - 6);
    const Eigen::Matrix3d turning = data.Ag.block<3, 3>(3, 3).inverse();
    const Eigen::Matrix3d moving = data.Ag.block<3, 3>(0, 0);  // mass times a rotation
    const Eigen::Matrix3d back = moving.transpose() / moving.col(0).squaredNorm();
    Eigen::Matrix<double, 6, Eigen::Dynamic> X(6, nv - 6);
    X.bottomRows<3>().noalias() = turning * arm.bottomRows<3>();
    X.topRows<3>().noalias() = back * (arm.topRows<3>() - data.Ag.block<3, 3>(0, 3) * X.bottomRows<3>());
    OutMatrix J(out + k * 6 * (nv - 6), 6, nv - 6);
    J = r.J.rightCols(nv - 6);
    J.noalias() -= r.J.leftCols<6>() * X;
  }
}

}  // extern "C"
