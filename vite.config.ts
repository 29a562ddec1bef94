import { brotliCompressSync, constants, gzipSync } from "node:zlib"
import react from "@vitejs/plugin-react"
import type { Plugin } from "vite"
import { defineConfig } from "vitest/config"

/** Writes `.br` and `.gz` beside every text file of the build, so that the proxy compresses nothing while it serves. */
function precompressed(): Plugin {
  return {
    name: "precompressed",
    apply: "build",
    enforce: "post",
    generateBundle(_, bundle) {
      for (const [fileName, output] of Object.entries(bundle)) {
        if (!/\.(js|css|html|svg|webmanifest)$/.test(fileName)) continue
        const bytes = Buffer.from(output.type === "chunk" ? output.code : output.source)
        const brotli = brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } })
        this.emitFile({ type: "asset", fileName: `${fileName}.br`, source: brotli })
        this.emitFile({ type: "asset", fileName: `${fileName}.gz`, source: gzipSync(bytes, { level: 9 }) })
      }
    },
  }
}

export default defineConfig({
  plugins: [react(), precompressed()],
  build: {
    target: "es2024",
    // The policy allows no data: script or style, and a hashed file is cached for ever.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
  test: {
    include: ["src/**/*.test.{ts,tsx}", "scripts/**/*.test.ts"],
    testTimeout: 30_000,
    hookTimeout: 30_000,
  },
})
