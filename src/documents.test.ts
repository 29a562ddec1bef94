import { existsSync, globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import packageFile from "../package.json" with { type: "json" }

const ROOT = join(import.meta.dirname, "..")
const documents = ["README.md", "CONTRIBUTING.md", ...globSync("docs/**/*.md", { cwd: ROOT })]
const scripts: Readonly<Record<string, string>> = packageFile.scripts

const read = (name: string) => readFileSync(join(ROOT, name), "utf8")

/** The code spans of a document that name a file or folder of this repository. */
function pathsIn(text: string): string[] {
  const spans = [...text.matchAll(/`([\w.@*/-]+)`/g)].map(([, span = ""]) => span)
  const paths = spans.filter((span) =>
    /^(?:src|docs|e2e|deploy|app|proxy|people|service|waiting)\/[\w.@/-]+$/.test(span),
  )
  const links = [...text.matchAll(/\]\(([\w./-]+)\)|(?:src|srcset)="([\w./-]+)"/g)].map(([, a, b]) => a ?? b ?? "")
  return [...paths, ...links]
}

describe.each(documents)("%s", (name) => {
  it("names files and folders that are there", () => {
    const missing = pathsIn(read(name)).filter(
      (path) => !["", "src", "docs"].some((at) => existsSync(join(ROOT, at, path))),
    )
    expect(missing).toEqual([])
  })

  it("names commands that are there", () => {
    const named = [...read(name).matchAll(/npm run ([\w:]+)/g)].map(([, script = ""]) => script)
    expect(named.filter((script) => !(script in scripts))).toEqual([])
  })
})

it("the README is at most 120 lines", () => {
  expect(read("README.md").trim().split("\n").length).toBeLessThanOrEqual(120)
})
