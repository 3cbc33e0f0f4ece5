// Builds the page into one script and one style sheet, with fonts inside, and records what it was built from.

import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { build, defineConfig, type Plugin } from "vite";

const here = dirname(fileURLToPath(import.meta.url));
const target = process.env["RIKIGAKU_WEB_OUT"] ?? join(here, "..", "src", "rikigaku", "web", "static");
const BUNDLED = ["three", "katex", "uplot", "preact"];
// Faces that the formulas of the package never use.
const UNUSED = /KaTeX_(Caligraphic|Fraktur|SansSerif|Script|Typewriter)|KaTeX_Main-BoldItalic|KaTeX_Math-BoldItalic/;

function files(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true })
    .flatMap((entry) => (entry.isDirectory() ? files(join(folder, entry.name)) : [join(folder, entry.name)]))
    .sort();
}

/** Digest of everything the build reads: sources, configuration and the versions in the lock file. */
export function sourceDigest(): string {
  const digest = createHash("sha256");
  const read = [...files(join(here, "src")), ...["package.json", "package-lock.json", "tsconfig.json", "vite.config.ts"].map((name) => join(here, name))];
  for (const file of read) {
    const name = relative(here, file).split("\\").join("/");
    digest.update(`${name}\0`).update(readFileSync(file)).update("\0");
  }
  return digest.digest("hex");
}

/** KaTeX's style sheet names three formats of each face: keep woff2, and only faces that are used. */
function fonts(): Plugin {
  return {
    name: "woff2-only",
    enforce: "pre",
    transform(code, id) {
      if (!id.includes("katex.css")) return null;
      return code
        .replace(/@font-face\s*\{[^}]*\}/g, (face) => (UNUSED.test(face) ? "" : face))
        .replace(/,\s*url\([^)]*\.(?:woff|ttf)\)\s*format\("(?:woff|truetype)"\)/g, "");
    },
  };
}

/** Licences of what is in the bundle, the texts for Python, and the digest of the sources. */
function records(): Plugin {
  return {
    name: "records",
    closeBundle() {
      mkdirSync(target, { recursive: true });
      const licences = BUNDLED.map((name) => {
        const folder = join(here, "node_modules", name);
        const { version } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as { version: string };
        return `${name} ${version}\n\n${readFileSync(join(folder, "LICENSE"), "utf8").trim()}\n`;
      });
      writeFileSync(join(target, "LICENSES.txt"), licences.join(`\n${"-".repeat(72)}\n\n`));
      const texts = Object.fromEntries(
        ["en", "ja"].map((name) => [name, JSON.parse(readFileSync(join(here, "src", "texts", `${name}.json`), "utf8")) as unknown]),
      );
      writeFileSync(join(target, "texts.json"), `${JSON.stringify(texts, null, 1)}\n`);
      writeFileSync(join(target, "source.sha256"), `${sourceDigest()}\n`);
    },
  };
}

const shared = {
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  define: { "process.env.NODE_ENV": '"production"' },
} as const;
const output = { outDir: target, target: "es2022", minify: true, reportCompressedSize: false } as const;

/** The module of notebooks, an ECMAScript module with its styles inside, beside the script of pages. */
function notebook(): Plugin {
  return {
    name: "notebook",
    async closeBundle() {
      const entry = join(here, "src", "notebook", "notebook_view.tsx");
      // Not as a library: libraries keep spaces and comments, which name folders of this machine.
      const rolldownOptions = {
        input: entry,
        preserveEntrySignatures: "strict" as const,
        output: { format: "es" as const, entryFileNames: "notebook.js", codeSplitting: false },
      };
      const own = { ...output, emptyOutDir: false, modulePreload: false as const, rolldownOptions };
      await build({ ...shared, configFile: false, logLevel: "error", build: own });
    },
  };
}

export default defineConfig({
  plugins: [fonts(), records(), notebook()],
  ...shared,
  build: {
    ...output,
    emptyOutDir: true,
    assetsInlineLimit: 1_000_000,
    cssCodeSplit: false,
    lib: {
      entry: join(here, "src", "main.ts"),
      name: "rikigaku",
      formats: ["iife"],
      fileName: () => "rikigaku.js",
      cssFileName: "rikigaku",
    },
  },
  test: { environment: "node", include: ["tests/**/*.test.ts"] },
} as Parameters<typeof defineConfig>[0]);
