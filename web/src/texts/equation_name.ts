// The name of a loop equation in the reader's language: "cut: gap x", "cut: x.z", "gear of elbow".

import { text } from "./texts";

export function equationName(name: string): string {
  const gap = /^(.*): gap ([xyz])$/.exec(name);
  if (gap) return text("equation.translation", { loop: gap[1]!, axis: gap[2]! });
  const gear = /^gear of (.*)$/.exec(name);
  return gear ? text("equation.gear", { joint: gear[1]! }) : name;
}
