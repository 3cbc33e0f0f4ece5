// Deformed nodes of a deflection or vibration mode: x + s Re((u + i w) exp(i phase)).

import type { BeamMesh, BeamShape } from "../document/model_document";

/** The displacement of a shape is drawn as this part of the robot's size. */
const SHOWN = 0.12;

export class DeformedNodes {
  readonly nodes: Float64Array;
  /** Largest displacement of each node over a period, by that of all nodes. */
  readonly amounts: Float64Array;
  /** Factor of the displacements in the picture. */
  readonly factor: number;

  constructor(
    private readonly mesh: BeamMesh,
    private readonly shape: BeamShape,
    size: number,
  ) {
    this.nodes = Float64Array.from(mesh.nodes);
    const count = mesh.nodes.length / 3;
    const part = (k: number) => {
      let square = 0;
      for (let i = 3 * k; i < 3 * k + 3; i++) square += shape.displacements[i]! ** 2 + (shape.imaginary[i] ?? 0) ** 2;
      return Math.sqrt(square);
    };
    this.amounts = Float64Array.from({ length: count }, (_, k) => part(k));
    const largest = this.amounts.reduce((a, b) => Math.max(a, b), 0);
    this.factor = largest > 0 ? (SHOWN * size) / largest : 0;
    if (largest > 0) for (let k = 0; k < count; k++) this.amounts[k]! /= largest;
  }

  /** The nodes at a phase [rad]; amplitude 1 is the standard picture. A deflection has phase 0. */
  at(phase: number, amplitude = 1): Float64Array {
    const { nodes, displacements, imaginary } = { nodes: this.mesh.nodes, ...this.shape };
    const s = amplitude * this.factor;
    const [c, d] = [s * Math.cos(phase), s * Math.sin(phase)];
    for (let k = 0; k < nodes.length; k++) this.nodes[k] = nodes[k]! + c * displacements[k]! - d * (imaginary[k] ?? 0);
    return this.nodes;
  }
}
