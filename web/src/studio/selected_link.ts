// The selected link over changes of the document: edits, undo, text typed by hand.

import type { RobotCells } from "./messages";

/** The selected link in the next document: under its new name where it was renamed, none where it is gone. */
export function followed(selected: string, before: RobotCells | null | undefined, after: RobotCells | null): string {
  if (!selected || !after) return selected; // no cells: the text cannot be read for now
  const [old, now] = [before, after].map((cells) => (cells ? [cells.base, ...cells.links.map(({ name }) => name)] : []));
  if (now!.includes(selected)) return selected;
  return old!.length === now!.length ? (now![old!.indexOf(selected)] ?? "") : "";
}
