// The camera of a picture: it is placed by the robot's size, follows pointer and keys, and keeps robots in view.

import { PerspectiveCamera, Vector3, type Box3 } from "three";
import { OrbitControls } from "three/addons/controls/OrbitControls.js";
import type { RobotState } from "../mechanics/robot_state";

const FIELD = 32; // degrees of the shorter side of the picture
const EDGE = 0.98; // of the picture's half width and height: points beyond are not seen well

export class ViewCamera {
  readonly camera = new PerspectiveCamera(FIELD, 1, 0.01, 100);
  readonly controls: OrbitControls;
  /** Size and centre of the robot when the camera was placed. */
  private fitted!: { size: number; centre: Vector3 };

  constructor(
    canvas: HTMLCanvasElement,
    private readonly state: RobotState,
    private readonly onChange: () => void,
  ) {
    this.controls = new OrbitControls(this.camera, canvas);
    this.controls.enableDamping = false;
    this.controls.addEventListener("change", onChange);
    this.reset();
  }

  dispose(): void {
    this.controls.dispose();
  }

  /** The whole robot, from its usual side. */
  reset(): void {
    const { robot } = this.state;
    const centre = new Vector3(...(robot.centre as [number, number, number]));
    this.fitted = { size: robot.size, centre };
    const distance = (0.62 * robot.size) / this.tangent();
    this.camera.up.set(0, 0, 1);
    this.camera.near = 0.01 * robot.size;
    this.camera.far = 60 * robot.size;
    this.camera.position.copy(centre).addScaledVector(new Vector3(...(robot.view as [number, number, number])), distance);
    this.controls.target.copy(centre);
    this.controls.minDistance = 0.1 * robot.size;
    this.controls.maxDistance = 20 * robot.size;
    this.camera.updateProjectionMatrix();
    this.changed();
  }

  /**
   * Look from where another camera of the same robot looks. A robot that has grown, shrunk or moved since the
   * camera was placed, or that would leave the picture, is seen from the same side and as large as before.
   */
  lookFrom(other: ViewCamera): void {
    if (this.state.robot.name !== other.state.robot.name) return;
    const [before, now] = [other.fitted, this.fitted];
    const change = now.size / before.size;
    const same = Math.abs(Math.log(change)) < 0.25 && now.centre.distanceTo(before.centre) < 0.3 * now.size;
    const { position, fov, aspect } = other.camera;
    const { target } = other.controls;
    [this.camera.fov, this.camera.aspect] = [fov, aspect];
    this.camera.updateProjectionMatrix();
    this.controls.target.copy(target);
    this.camera.position.copy(position);
    this.changed();
    if (same && (this.sees(this.state) || !other.sees(other.state))) {
      this.fitted = before; // small changes add up
      return;
    }
    this.controls.target.copy(now.centre);
    if (!other.sees(other.state)) this.controls.target.addScaledVector(target.clone().sub(before.centre), change); // near some part
    this.camera.position.copy(this.controls.target).addScaledVector(position.clone().sub(target), change);
    this.changed();
  }

  /** Whether all bodies and frames of a robot are in the picture. */
  private sees(state: RobotState): boolean {
    this.camera.updateMatrixWorld();
    return places(state, state.q).every((place) => {
      const at = place.project(this.camera);
      return Math.abs(at.x) <= EDGE && Math.abs(at.y) <= EDGE;
    });
  }

  /** Move back where a box leaves the picture; the direction stays. */
  fit(box: Box3): void {
    const visible = this.camera.position.distanceTo(this.controls.target) * this.tangent();
    const { x, y, z } = this.controls.target;
    const farthest = new Vector3(Math.max(x - box.min.x, box.max.x - x), Math.max(y - box.min.y, box.max.y - y), Math.max(z - box.min.z, box.max.z - z));
    if (farthest.length() <= visible) return;
    const radius = 0.5 * Math.max(this.state.robot.size, box.getSize(new Vector3()).length());
    const direction = this.camera.position.clone().sub(this.controls.target).normalize();
    this.controls.target.copy(box.getCenter(new Vector3()));
    this.camera.position.copy(this.controls.target).addScaledVector(direction, (1.1 * radius) / this.tangent());
    this.changed();
  }

  orbit(azimuth: number, elevation: number): void {
    const arm = this.camera.position.clone().sub(this.controls.target);
    const radius = arm.length();
    const up = Math.min(1.5, Math.max(-1.5, Math.asin(arm.z / radius) + elevation));
    const around = Math.atan2(arm.y, arm.x) + azimuth;
    arm.set(Math.cos(up) * Math.cos(around), Math.cos(up) * Math.sin(around), Math.sin(up)).multiplyScalar(radius);
    this.camera.position.copy(this.controls.target).add(arm);
    this.changed();
  }

  zoom(factor: number): void {
    const arm = this.camera.position.clone().sub(this.controls.target).multiplyScalar(factor);
    this.camera.position.copy(this.controls.target).add(arm);
    this.changed();
  }

  /** Keep the robot inside a picture of this size, a narrow one too. Returns lengths per pixel at distance 1. */
  setSize(width: number, height: number): number {
    this.camera.aspect = width / height;
    const half = Math.tan((FIELD * Math.PI) / 360);
    this.camera.fov = width >= height ? FIELD : (2 * Math.atan((half * height) / width) * 180) / Math.PI;
    this.camera.updateProjectionMatrix();
    return (2 * this.tangent()) / height;
  }

  private tangent(): number {
    return Math.tan((this.camera.fov * Math.PI) / 360);
  }

  private changed(): void {
    this.controls.update();
    this.onChange();
  }
}

/** Origins of all bodies and frames at a configuration. */
export function places(state: RobotState, q: ArrayLike<number>): Vector3[] {
  const poses = state.posesAt(q);
  const found: Vector3[] = [];
  for (let i = 0; i < poses.length; i += 12) found.push(new Vector3(poses[i + 3], poses[i + 7], poses[i + 11]));
  state.robot.frames.forEach((_, frame) => found.push(new Vector3(...state.framePlace(frame, q))));
  return found;
}
