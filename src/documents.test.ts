import { existsSync, globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import packageFile from "../package.json" with { type: "json" }

const ROOT = join(import.meta.dirname, "..")
const files = globSync("**/*", { cwd: ROOT, exclude: ["**/node_modules", ".git", "dist", "test-results"] })
const documents = files.filter((file) => /^(?:README|CONTRIBUTING|docs\/.*)\.md$/.test(file))
const sources = files.filter((file) => /^(?:src|e2e|deploy)\/.*\.(?:tsx?|mjs|css|yaml|conf|cfg)$/.test(file))
const scripts: Readonly<Record<string, string>> = packageFile.scripts

/** Files that comments name and that are not in the repository: results of colleagues, and a source file of Playwright. */
const OTHER_FILES = ["profile.md", "review.md", "chromiumSwitches.ts"]

const read = (name: string) => readFileSync(join(ROOT, name), "utf8")

/** Whether a path names a file of the repository: in full, or without its first folders (`desk/store/desk-schema.ts`). */
const isFile = (path: string) => files.some((file) => file === path || file.endsWith(`/${path}`))

/** Whether a path of a document names a file, or a folder below the root, `src` or `docs`. */
const isThere = (path: string) => isFile(path) || ["", "src", "docs"].some((at) => existsSync(join(ROOT, at, path)))

/** The code spans and links of a document that name a file or folder of this repository. */
function pathsIn(text: string): string[] {
  const spans = [...text.matchAll(/`([\w.@*/-]+)`/g)].map(([, span = ""]) => span)
  const paths = spans.filter(
    (span) =>
      /^(?:src|docs|e2e|deploy|app|desk|service|platform|commands)\/[\w.@/-]+$/.test(span) ||
      /^\w[\w@./-]*\.(?:tsx?|mjs|css|yaml|conf|cfg)$/.test(span),
  )
  const links = [...text.matchAll(/\]\(([\w./-]+)\)|(?:src|srcset)="([\w./-]+)"/g)].map(([, a, b]) => a ?? b ?? "")
  return [...paths, ...links]
}

/** The files that the comments of a source file name. */
function filesInComments(text: string): string[] {
  const comments = [...text.matchAll(/\/\*[^]*?\*\/|(?<=^|\s)\/\/ .*|^\s*# .*/gm)].join("\n")
  return [...comments.matchAll(/(?<![\w./-])\w[\w@./-]*\.(?:tsx?|mjs|css|yaml|md|conf|cfg)\b/g)].map(([path]) => path)
}

describe.each(documents)("%s", (name) => {
  it("names files and folders that exist", () => {
    expect(pathsIn(read(name)).filter((path) => !isThere(path))).toEqual([])
  })

  it("names commands that exist", () => {
    const named = [...read(name).matchAll(/npm run (?:--silent )?([a-z][\w:]*)/g)].map(([, script = ""]) => script)
    expect(named.filter((script) => !(script in scripts))).toEqual([])
  })
})

describe("comments", () => {
  it("name only files that a reader can open", () => {
    const missing = sources.flatMap((source) =>
      filesInComments(read(source))
        .filter((path) => !isFile(path) && !OTHER_FILES.includes(path))
        .map((path) => `${source} names ${path}`),
    )
    expect(missing).toEqual([])
  })
})

it("the README has at most 120 lines", () => {
  expect(read("README.md").trim().split("\n").length).toBeLessThanOrEqual(120)
})
