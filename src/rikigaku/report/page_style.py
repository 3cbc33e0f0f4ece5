"""CSS of the report: wide tables that scroll, colours for light and dark mode."""

CSS = """
:root { --text: #1f2933; --soft: #616e7c; --line: #d9dfe6; --back: #fbfcfd; --card: #fff; --accent: #c05a1a; }
@media (prefers-color-scheme: dark) {
  :root { --text: #e4e9ee; --soft: #9aa5b1; --line: #364350; --back: #151b21; --card: #1c242c;
    --accent: #f0955a; }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--back); color: var(--text);
  font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif; }
main { max-width: 1080px; margin: 0 auto; padding: 32px 20px 60px; }
h1 { margin: 0; font-size: 30px; }
h2 { margin: 34px 0 10px; font-size: 18px; border-bottom: 2px solid var(--accent); display: inline-block; }
.lead { margin: 2px 0 12px; font-size: 17px; color: var(--soft); }
.source, footer { color: var(--soft); font-size: 13px; }
footer { margin-top: 40px; border-top: 1px solid var(--line); padding-top: 10px; }
.notes pre { white-space: pre-wrap; background: var(--card); border-left: 4px solid var(--accent);
  padding: 8px 12px; margin: 8px 0; font: inherit; }
img.robot { display: block; max-width: 640px; width: 100%; margin: 0 auto; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; }
table.data { background: var(--card); font-size: 13px; width: 100%; }
table.data th { text-align: left; color: var(--soft); font-weight: 600; }
table.data th, table.data td { padding: 5px 10px; border-bottom: 1px solid var(--line); vertical-align: top; }
table.numbers td:nth-child(n+3), table.numbers th:nth-child(n+3) { text-align: right; white-space: nowrap; }
table.matrix { font: 12px/1.5 ui-monospace, "DejaVu Sans Mono", Consolas, monospace; margin: 4px 0 8px;
  border-left: 1px solid var(--soft); border-right: 1px solid var(--soft); }
table.matrix td { padding: 1px 9px; text-align: right; white-space: nowrap; }
details { margin: 6px 0; }
summary { cursor: pointer; }
code { font: 13px ui-monospace, "DejaVu Sans Mono", Consolas, monospace; }
.problem { color: var(--accent); margin: 4px 0; }
@media print { body { background: #fff; color: #000; } details { break-inside: avoid; } }
"""
