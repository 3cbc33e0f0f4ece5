// Renders formulas with KaTeX and with MathJax, and reports what they refuse.
//
// stdin: a JSON list of {"name": ..., "latex": ...}, without dollar signs. stdout: a JSON list of complaints.
// With --page FILE, the formulas are also written to an HTML page with KaTeX's styles.

import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import katex from "katex";

const require = createRequire(import.meta.url);
const { mathjax } = require("mathjax-full/js/mathjax.js");
const { TeX } = require("mathjax-full/js/input/tex.js");
const { SVG } = require("mathjax-full/js/output/svg.js");
const { liteAdaptor } = require("mathjax-full/js/adaptors/liteAdaptor.js");
const { RegisterHTMLHandler } = require("mathjax-full/js/handlers/html.js");
require("mathjax-full/js/input/tex/ams/AmsConfiguration.js");

const adaptor = liteAdaptor();
RegisterHTMLHandler(adaptor);
const page = mathjax.document("", { InputJax: new TeX({ packages: ["base", "ams"] }), OutputJax: new SVG() });

const formulas = JSON.parse(readFileSync(0, "utf8"));
const complaints = [];
const parts = [];
for (const { name, latex } of formulas) {
  try {
    parts.push([name, katex.renderToString(latex, { displayMode: true, strict: "error" })]);
  } catch (error) {
    complaints.push({ name, engine: "KaTeX", error: String(error.message) });
  }
  const svg = adaptor.outerHTML(page.convert(latex, { display: true }));
  const found = svg.match(/data-mjx-error="([^"]*)"/);
  if (found) complaints.push({ name, engine: "MathJax", error: found[1] });
}
const place = process.argv.indexOf("--page");
if (place > 0) {
  const styles = join(dirname(require.resolve("katex")), "katex.min.css");
  const body = parts.map(([name, html]) => `<h3>${name.replace(/[<&]/g, " ")}</h3>${html}`).join("\n");
  writeFileSync(
    process.argv[place + 1],
    `<!doctype html><meta charset="utf-8"><link rel="stylesheet" href="file://${styles}">
<style>body { width: 52em; font-family: sans-serif } .katex-display { text-align: left }</style>${body}`,
  );
}
console.log(JSON.stringify(complaints));
