// Titles of laws in the present language.

import { named } from "../../panels/time_plots";
import { text } from "../../texts/texts";

/** The title of a law; those of a closed robot's spanning tree say so. */
export function lawTitle({ name, title }: { name: string; title: string }): string {
  return name.startsWith("tree.") ? text("equations.ofTree", { title: named(title) }) : named(title);
}
