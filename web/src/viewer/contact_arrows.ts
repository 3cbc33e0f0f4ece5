// Contact points and contact forces over the samples of a motion: one arrow for each contact.

import { ConeGeometry, CylinderGeometry, Group, Mesh, MeshLambertMaterial, SphereGeometry, Vector3 } from "three";
import type { ContactTrack } from "../document/model_document";
import { CONTACT, FORCE, hex } from "./palette";

const UP = new Vector3(0, 1, 0);

export class ContactArrows {
  readonly group = new Group();
  private tracks: readonly ContactTrack[] = [];
  private arrows: { dot: Mesh; whole: Group; shaft: Mesh; head: Mesh }[] = [];
  private scale = 0;
  private readonly force = new Vector3();

  /** size: of the robot [m]; the largest force of a motion is drawn as a third of it. */
  constructor(private readonly size: number) {}

  set(tracks: readonly ContactTrack[]): void {
    this.group.clear();
    this.tracks = tracks;
    const largest = Math.sqrt(Math.max(0, ...tracks.map(({ forces }) => largestSquare(forces))));
    this.scale = largest > 0 ? (0.33 * this.size) / largest : 0;
    const radius = 0.007 * this.size;
    const shaft = new CylinderGeometry(radius, radius, 1, 16).translate(0, 0.5, 0);
    const head = new ConeGeometry(2.6 * radius, 7 * radius, 20).translate(0, -3.5 * radius, 0);
    const dot = new SphereGeometry(1.7 * radius, 16, 12);
    const [green, black] = [new MeshLambertMaterial({ color: hex(FORCE) }), new MeshLambertMaterial({ color: hex(CONTACT) })];
    this.arrows = tracks.map(() => {
      const arrow = { dot: new Mesh(dot, black), whole: new Group(), shaft: new Mesh(shaft, green), head: new Mesh(head, green) };
      arrow.whole.add(arrow.shaft, arrow.head);
      this.group.add(arrow.dot, arrow.whole);
      return arrow;
    });
    this.show(0);
  }

  /** Points and forces of one sample. */
  show(sample: number): void {
    this.tracks.forEach(({ points, forces }, k) => {
      const at = 3 * Math.min(sample, points.length / 3 - 1);
      const { dot, whole, shaft, head } = this.arrows[k]!;
      const length = this.scale * this.force.set(forces[at]!, forces[at + 1]!, forces[at + 2]!).length();
      dot.visible = whole.visible = length > 1e-6 * this.size;
      if (!whole.visible) return;
      dot.position.set(points[at]!, points[at + 1]!, points[at + 2]!);
      whole.position.copy(dot.position);
      whole.quaternion.setFromUnitVectors(UP, this.force.normalize());
      const cone = 0.049 * this.size;
      head.scale.setScalar(Math.min(1, length / cone));
      head.position.y = length;
      shaft.scale.y = Math.max(length - cone, 1e-9);
    });
  }
}

function largestSquare(forces: readonly number[]): number {
  let largest = 0;
  for (let k = 0; k < forces.length; k += 3)
    largest = Math.max(largest, forces[k]! ** 2 + forces[k + 1]! ** 2 + forces[k + 2]! ** 2);
  return largest;
}
