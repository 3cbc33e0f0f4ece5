// Beams between nodes that deform: deflections, vibration modes and motions of flexible links.

import { Color, CylinderGeometry, Group, InstancedMesh, Matrix4, MeshStandardMaterial, Quaternion, SphereGeometry, Vector3 } from "three";
import { BEAM, RAIL, REST, hex } from "./palette";

const UP = new Vector3(0, 1, 0);
const RAMP = [new Color(0x2a72b8), new Color(0xe9c46a), new Color(0xc8321f)];

export class Beams {
  readonly group = new Group();
  private bars: InstancedMesh | null = null;
  private balls: InstancedMesh | null = null;
  private rest: InstancedMesh | null = null;
  private rods: InstancedMesh | null = null;
  private elements: readonly number[] = [];
  private rails: readonly number[] = [];
  private readonly radius: number;
  private readonly matrix = new Matrix4();
  private readonly ends = [new Vector3(), new Vector3()] as const;
  private readonly rotation = new Quaternion();
  private readonly middle = new Vector3();
  private readonly scale = new Vector3(1, 1, 1);
  private readonly color = new Color();

  constructor(size: number) {
    this.radius = 0.009 * size;
  }

  /** Replace the mesh. nodes: x, y, z of each; undeformed beams are shown grey if `resting`. Rails are thin rods. */
  set(nodes: ArrayLike<number>, { elements, rails }: { elements: readonly number[]; rails: readonly number[] }, resting: boolean): void {
    this.clear();
    this.elements = elements;
    this.rails = rails;
    const count = elements.length / 2;
    const tube = new CylinderGeometry(this.radius, this.radius, 1, 12);
    const plain = (color: number, opacity = 1) =>
      new MeshStandardMaterial({ color, roughness: 0.5, transparent: opacity < 1, opacity, depthWrite: opacity === 1 });
    this.bars = new InstancedMesh(tube, plain(0xffffff), count);
    this.balls = new InstancedMesh(new SphereGeometry(this.radius, 12, 8), plain(0xffffff), nodes.length / 3);
    const thin = 0.4 * this.radius;
    this.rods = new InstancedMesh(new CylinderGeometry(thin, thin, 1, 8), plain(hex(RAIL)), rails.length / 2);
    for (const mesh of [this.bars, this.balls, this.rods]) {
      mesh.frustumCulled = false;
      this.group.add(mesh);
    }
    this.show(nodes);
    if (!resting) return;
    this.rest = new InstancedMesh(tube, plain(hex(REST), 0.35), count);
    this.rest.frustumCulled = false;
    for (let k = 0; k < count; k++) this.rest.setMatrixAt(k, this.placed(nodes, this.elements, k));
    this.group.add(this.rest);
  }

  /** Nodes at new places; amounts: 0 to 1 for each node, its colour. */
  show(nodes: ArrayLike<number>, amounts?: ArrayLike<number>): void {
    if (!this.bars || !this.balls || !this.rods) return;
    for (let k = 0; k < this.elements.length / 2; k++) {
      this.bars.setMatrixAt(k, this.placed(nodes, this.elements, k));
      const [a, b] = [this.elements[2 * k]!, this.elements[2 * k + 1]!];
      this.bars.setColorAt(k, this.painted(amounts && (amounts[a]! + amounts[b]!) / 2));
    }
    for (let k = 0; k < nodes.length / 3; k++) {
      this.balls.setMatrixAt(k, this.matrix.makeTranslation(nodes[3 * k]!, nodes[3 * k + 1]!, nodes[3 * k + 2]!));
      this.balls.setColorAt(k, this.painted(amounts?.[k]));
    }
    for (let k = 0; k < this.rails.length / 2; k++) this.rods.setMatrixAt(k, this.placed(nodes, this.rails, k));
    for (const mesh of [this.bars, this.balls, this.rods]) {
      mesh.instanceMatrix.needsUpdate = true;
      if (mesh.instanceColor) mesh.instanceColor.needsUpdate = true;
    }
  }

  clear(): void {
    for (const mesh of [this.bars, this.balls, this.rest, this.rods]) {
      mesh?.removeFromParent();
      mesh?.dispose();
    }
    this.bars = this.balls = this.rest = this.rods = null;
  }

  private placed(nodes: ArrayLike<number>, pairs: readonly number[], k: number): Matrix4 {
    const [start, end] = this.ends;
    start.fromArray(nodes as number[], 3 * pairs[2 * k]!);
    end.fromArray(nodes as number[], 3 * pairs[2 * k + 1]!);
    this.middle.addVectors(start, end).multiplyScalar(0.5);
    const along = end.sub(start);
    const length = Math.max(along.length(), 1e-12);
    this.rotation.setFromUnitVectors(UP, along.divideScalar(length));
    return this.matrix.compose(this.middle, this.rotation, this.scale.set(1, length, 1));
  }

  private painted(amount: number | undefined): Color {
    if (amount === undefined) return this.color.set(hex(BEAM));
    const t = 2 * Math.min(1, Math.max(0, amount));
    const k = t < 1 ? 0 : 1;
    return this.color.copy(RAMP[k]!).lerp(RAMP[k + 1]!, t - k);
  }
}
