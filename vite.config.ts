import { join } from "node:path"
import { brotliCompressSync, constants, gzipSync } from "node:zlib"
import react from "@vitejs/plugin-react"
import type { Plugin, Rolldown } from "vite"
import { defineConfig } from "vitest/config"
import { type Page, pages } from "./src/app/pages.ts"

/** Writes `.br` and `.gz` beside every text file of the build, so that the proxy compresses nothing while it serves. */
function precompressed(): Plugin {
  return {
    name: "precompressed",
    apply: "build",
    enforce: "post",
    generateBundle: {
      // Vite itself still writes into the chunks in its own `generateBundle`.
      order: "post",
      handler(_, bundle) {
        for (const [fileName, output] of Object.entries(bundle)) {
          if (!/\.(js|css|html|svg|webmanifest)$/.test(fileName)) continue
          // With this comment Chromium compiles the whole file on another thread while the file arrives. Without the comment it compiles each
          // function on the main thread at the first call.
          if (output.type === "chunk") output.code = `//# allFunctionsCalledOnLoad\n${output.code}`
          const bytes = Buffer.from(output.type === "chunk" ? output.code : output.source)
          const brotli = brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } })
          this.emitFile({ type: "asset", fileName: `${fileName}.br`, source: brotli })
          this.emitFile({ type: "asset", fileName: `${fileName}.gz`, source: gzipSync(bytes, { level: 9 }) })
        }
      },
    },
  }
}

/** Writes an HTML file for each page of the app, with the preloads of `src/app/pages.ts`. */
function pageFiles(): Plugin {
  return {
    name: "page-files",
    apply: "build",
    generateBundle: {
      // Vite itself writes `index.html` in its own `generateBundle`.
      order: "post",
      handler(_, bundle) {
        const index = bundle["index.html"]
        if (index?.type !== "asset") throw new Error("The build has no index.html")
        for (const page of pages) {
          const tags = preloadTags(page, bundle).join("\n    ")
          const html = String(index.source).replace("</head>", `${tags}\n  </head>`)
          this.emitFile({ type: "asset", fileName: `pages${page.path.replace(/:(\w+)/, "[$1]")}.html`, source: html })
        }
      },
    },
  }
}

function preloadTags({ code, reads = [] }: Page, bundle: Rolldown.OutputBundle): string[] {
  const chunks = Object.values(bundle).filter((output) => output.type === "chunk")
  const page = chunks.find(({ moduleIds }) => moduleIds.some((id) => id.endsWith(`/src/app/${code}`)))
  if (code !== undefined && page === undefined) throw new Error(`No file of the build has ${code}`)
  const own = new Set<Rolldown.OutputChunk>()
  const add = (chunk: Rolldown.OutputChunk | undefined) => {
    if (chunk === undefined || chunk.isEntry || own.has(chunk)) return
    own.add(chunk)
    for (const name of chunk.imports) add(chunks.find(({ fileName }) => fileName === name))
  }
  add(page)
  const styles = [...own].flatMap(({ viteMetadata }) => [...(viteMetadata?.importedCss ?? [])])
  return [
    ...reads.map((address) => `<link rel="preload" href="${address}" as="fetch" crossorigin="anonymous" />`),
    ...[...own].map(({ fileName }) => `<link rel="modulepreload" crossorigin href="/${fileName}" />`),
    ...styles.map((fileName) => `<link rel="stylesheet" crossorigin href="/${fileName}" />`),
  ]
}

/** Vite forgets `blocking="render"`, which keeps a browser from painting before the chosen theme is applied (`shell/theme.ts`). */
function renderBlocking(): Plugin {
  return {
    name: "render-blocking",
    transformIndexHtml: {
      order: "post",
      handler: (html) =>
        html.replace('<script type="module" crossorigin', '<script type="module" blocking="render" crossorigin'),
    },
  }
}

// Every worker thread and every process that a test starts compiles our modules once for all of them: a third of their time.
process.env["NODE_COMPILE_CACHE"] ??= join(import.meta.dirname, "node_modules/.cache/node")

/** `npm run test:long` sets LONG_TESTS. */
const isLong = process.env["LONG_TESTS"] === "1"

export default defineConfig({
  plugins: [react(), renderBlocking(), pageFiles(), precompressed()],
  resolve: {
    alias: {
      // Its form for browsers decodes a character through `innerHTML`, which the policy of our pages forbids (Trusted Types).
      "decode-named-character-reference": join(
        import.meta.dirname,
        "node_modules/decode-named-character-reference/index.js",
      ),
    },
  },
  css: {
    // "shell-side" for `.side` of `shell/shell.module.css`, so that `index.html` can show the frame of the page before the app has arrived.
    modules: { generateScopedName: (name, file) => `${/([^/]+)\.module\.css/.exec(file)?.[1]}-${name}` },
  },
  build: {
    target: "es2024",
    // The policy allows no data: script or style, and a hashed file is cached for ever.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            // The first load in one file: fifteen files are 12 kB (brotli) more.
            { name: "index", tags: ["$initial"], priority: 1 },
            // The inbox with all that it imports, and no part that is loaded later. So it is in two files and not in sixteen: its first row
            // comes a quarter sooner.
            { name: "inbox", test: /src.app.needs-you.needs-you-page/ },
          ],
        },
      },
    },
  },
  test: {
    // A worker that changes between Node and a DOM starts again, and a DOM takes half a second to make. So the app's tests have a worker of their own.
    // `npm run test:long` runs the long tests alone. They wait even more: three at once used 42 % of two cores.
    projects: isLong
      ? [{ extends: true, test: { name: "long", include: ["{src,deploy}/**/*.long.test.ts"], maxWorkers: 5 } }]
      : [
          {
            extends: true,
            test: {
              name: "app",
              include: ["src/app/**/*.test.{ts,tsx}"],
              environment: "happy-dom",
              maxWorkers: 1,
            },
          },
          {
            extends: true,
            test: {
              name: "programs",
              include: ["{src,deploy}/**/*.test.ts"],
              exclude: ["**/node_modules/**", "src/app/**", "**/*.long.test.ts"],
              // Most tests wait for a process, a disk or a time-out, so five at once keep two cores busy.
              maxWorkers: 5,
              sequence: { groupOrder: 1 },
            },
          },
        ],
    // Most files begin in less time than a new process with its modules takes. Each test makes its own desk, folder and database.
    isolate: false,
    testTimeout: 30_000,
    hookTimeout: 30_000,
    // Vitest's default of one second is too short on a machine that others use.
    expect: { poll: { timeout: 20_000 } },
  },
})
