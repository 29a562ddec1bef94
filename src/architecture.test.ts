import { globSync, readFileSync } from "node:fs"
import { dirname, join, relative } from "node:path"
import { describe, expect, it } from "vitest"
import packageFile from "../package.json" with { type: "json" }

const SOURCE = import.meta.dirname
const files = globSync("**/*.{ts,tsx}", { cwd: SOURCE, exclude: ["**/node_modules"] }).filter(
  (file) => !file.endsWith(".d.ts"),
)
const isTest = (file: string) => /\.test\.tsx?$/.test(file)

/** What writes only about the person themself, their browser or a copy, so that nobody else can change what the click is about. */
const OWN_WRITES = [
  "mail-choice.tsx",
  "palette.tsx",
  "person-area.tsx",
  "push.tsx",
  "record-page.tsx",
  "report-dialog.tsx",
  "since-you-were-here.tsx",
  "view-name-dialog.tsx",
]

/** The calls of useEffect, useLayoutEffect and useInsertionEffect in the app. */
const EFFECTS_MAX = 37

const NOUNS = [
  "alike",
  "overview",
  "work",
  "new-work",
  "clarifications",
  "approvals",
  "artifacts",
  "activity",
  "record",
  "notices",
]

/** What a noun imports of other nouns: letters that are read together are approvals, and are drawn and decided as such. */
const NOUNS_OF_NOUNS: Readonly<Record<string, readonly string[]>> = { alike: ["approvals"] }
const isPage = (file: string) => file.endsWith("-page.tsx")

/** The imports of a file: `ours` are paths from `src`, `others` are package names as written. */
function importsOf(file: string): { ours: string[]; others: string[] } {
  const text = readFileSync(join(SOURCE, file), "utf8")
  const named = [...text.matchAll(/(?:^|\n)\s*(?:import|export)\b[^"'`;]*?\bfrom\s+"([^"]+)"/g)]
  const bare = [...text.matchAll(/(?:^|\n)import\s+"([^"]+)"|\bimport\("([^"]+)"\)/g)]
  const specifiers = [...named, ...bare].flatMap((match) => match[1] ?? match[2] ?? [])
  return {
    ours: specifiers
      .filter((specifier) => specifier.startsWith("."))
      .map((specifier) => relative(SOURCE, join(SOURCE, dirname(file), specifier))),
    others: specifiers.filter((specifier) => !specifier.startsWith(".")),
  }
}

const folderOf = (path: string) => path.split("/")[0] ?? ""
const appFolderOf = (path: string) => (path.startsWith("app/") ? (path.split("/")[1] ?? "") : "")

/** The imports from files that `from` accepts to paths that `to` accepts. Tests are left out. */
function findImports(from: (file: string) => boolean, to: (path: string, file: string) => boolean): string[] {
  return files
    .filter((file) => !isTest(file) && from(file))
    .flatMap((file) =>
      importsOf(file)
        .ours.filter((path) => to(path, file))
        .map((path) => `${file} → ${path}`),
    )
}

const inFolder = (name: string) => (path: string) => folderOf(path) === name
const inAppFolders = (names: readonly string[]) => (path: string) => names.includes(appFolderOf(path))

/** The folders of `desk`. Each may import `contract`, `platform` and those before it. */
const DESK_FOLDERS = ["store", "people", "record", "watcher", "inbox", "insight", "notices", "proxy", "http"]
const deskFolderOf = (path: string) => (/^desk\/[^/]+\//.test(path) ? (path.split("/")[1] ?? "") : "")

type Arrow = [folder: string, mayImport: string[]]

describe("imports run one way", () => {
  it("nothing outside of a folder testing imports from one", () => {
    const isForTests = (path: string) => path.split("/").includes("testing")
    expect(findImports((file) => !isForTests(file), isForTests)).toEqual([])
  })

  it("contract imports nothing of ours", () => {
    expect(findImports(inFolder("contract"), (path) => folderOf(path) !== "contract")).toEqual([])
  })

  it.each<Arrow>([
    ["app", ["contract"]],
    ["platform", ["contract"]],
    ["desk", ["contract", "platform"]],
    ["service", ["contract", "platform"]],
    ["demo", ["contract", "platform", "desk", "service", "server.ts", ".."]],
    ["commands", ["contract", "platform", "desk", "service", "demo", "server.ts", ".."]],
  ])("%s imports itself and %j", (folder, others) => {
    const allowed = [folder, ...others]
    expect(findImports(inFolder(folder), (path) => !allowed.includes(folderOf(path)))).toEqual([])
  })

  it.each(DESK_FOLDERS.map((folder, index): Arrow => [folder, DESK_FOLDERS.slice(0, index)]))(
    "within the desk: %s imports itself and %j",
    (folder, others) => {
      const allowed = [folder, ...others]
      expect(
        findImports(
          (file) => deskFolderOf(file) === folder,
          (path) => path.startsWith("desk/") && !allowed.includes(deskFolderOf(path)),
        ),
      ).toEqual([])
    },
  )

  it("the service imports the interface of its colleagues, and nothing else of them", () => {
    const isColleague = (path: string) => path.startsWith("service/colleagues/")
    const isService = (file: string) => file.startsWith("service/") && !isColleague(file)
    expect(findImports(isService, (path) => isColleague(path) && path !== "service/colleagues/colleague.ts")).toEqual(
      [],
    )
  })

  it("a colleague knows only the contract and the host that it is given", () => {
    const isColleague = (file: string) => file.startsWith("sample/colleagues/")
    const reachesOut = (path: string) => !isColleague(path) && folderOf(path) !== "contract"
    expect(findImports(isColleague, reachesOut)).toEqual([])
  })

  it("within the app: client imports no other folder of the app, ui only client, inbox only client and ui", () => {
    const below = { client: ["client"], ui: ["client", "ui"], inbox: ["client", "ui", "inbox"] }
    for (const [folder, allowed] of Object.entries(below)) {
      expect(
        findImports(inAppFolders([folder]), (path) => path.startsWith("app/") && !allowed.includes(appFolderOf(path))),
      ).toEqual([])
    }
  })

  it("a noun imports inbox, client, ui and itself, never a page or the shell, and another noun only where one is made of it", () => {
    const isNounPart = (file: string) => inAppFolders(NOUNS)(file) && !isPage(file)
    const reachesOut = (path: string, file: string) =>
      path.startsWith("app/") &&
      (isPage(path) ||
        !["inbox", "client", "ui", appFolderOf(file), ...(NOUNS_OF_NOUNS[appFolderOf(file)] ?? [])].includes(
          appFolderOf(path),
        ))
    expect(findImports(isNounPart, reachesOut)).toEqual([])
  })

  it("only the routes import a page", () => {
    expect(
      findImports(
        (file) => file !== "app/routes.tsx",
        (path) => isPage(path),
      ),
    ).toEqual([])
  })
})

describe("package.json", () => {
  it("names as dependencies what server.ts imports, and everything else as development dependencies", () => {
    const reached = new Set<string>()
    const packages = new Set<string>()
    const visit = (file: string) => {
      if (reached.has(file) || !file.endsWith(".ts")) return
      reached.add(file)
      const { ours, others } = importsOf(file)
      ours.forEach(visit)
      for (const name of others) {
        if (!name.startsWith("node:")) packages.add(name.split("/", name.startsWith("@") ? 2 : 1).join("/"))
      }
    }
    // Worker threads are started by their path, not imported.
    ;["server.ts", ...files.filter((file) => file.endsWith("-worker.ts") && !file.startsWith("app/"))].forEach(visit)
    // Vite serves the sources in development only.
    packages.delete("vite")
    expect(Object.keys(packageFile.dependencies)).toEqual([...packages].sort())
  })
})

describe("package-lock.json", () => {
  it("has no development dependency that a production install takes as somebody's optional one", () => {
    const lock = readFileSync(join(SOURCE, "../package-lock.json"), "utf8")
    expect(lock).not.toContain('"devOptional"')
  })
})

describe("the browser's code", () => {
  const appFiles = files.filter((file) => folderOf(file) === "app" && !isTest(file))

  it("imports nothing of Node", () => {
    expect(appFiles.filter((file) => importsOf(file).others.some((name) => name.startsWith("node:")))).toEqual([])
  })

  it("imports only the files of the contract that a browser can load", () => {
    const loadable = [
      "desk-people.ts",
      "desk-work.ts",
      "resources.ts",
      "schema.d.ts",
      "find-words.ts",
      "hidden-runs.ts",
      "int64.ts",
      "limits.ts",
      "plural.ts",
      "problem.ts",
      "refusal-codes.ts",
      "roles.ts",
      "rule-patterns.ts",
      "table-separator.ts",
      "waiting-change.ts",
      "same-text.ts",
      "table-separator.ts",
      "work-order.ts",
    ].map((file) => `contract/${file}`)
    expect(findImports(inFolder("app"), (path) => folderOf(path) === "contract" && !loadable.includes(path))).toEqual(
      [],
    )
  })

  it("has few effects: an event, a key or a derived value says more about when something happens", () => {
    const effects = appFiles.flatMap((file) => [
      ...readFileSync(join(SOURCE, file), "utf8").matchAll(/\buse(?:Layout|Insertion)?Effect\(/g),
    ])
    expect(effects.length).toBeGreaterThan(0)
    expect(effects.length).toBeLessThanOrEqual(EFFECTS_MAX)
  })

  it("writes to the desk about what others may change only through useAct and SendingDialog, which bind it to what the person saw", () => {
    const writing = appFiles
      .filter((file) => /\buseDeskMutation(?:<|\()/.test(readFileSync(join(SOURCE, file), "utf8")))
      .flatMap((file) => file.split("/").at(-1) ?? [])
      .filter((name) => name !== "desk-writes.ts")
    expect(writing.toSorted()).toEqual([...OWN_WRITES, "sending-dialog.tsx", "use-act.ts"].toSorted())
  })

  it("sets margins, paddings and gaps only in style sheets, where the tests of the tokens check them", () => {
    const inline = /style=\{\{[^}]*\b(?:gap|margin|padding)\w*:/i
    expect(appFiles.filter((file) => inline.test(readFileSync(join(SOURCE, file), "utf8")))).toEqual([])
  })

  it("reads no build-time environment, because the build would write its values into the bundle", () => {
    const reads = appFiles.filter((file) => readFileSync(join(SOURCE, file), "utf8").includes("import.meta.env"))
    expect(reads).toEqual([])
  })
})

describe("work that nobody waits for", () => {
  it("is started by inBackground, which logs its failure", () => {
    const starting = files.filter(
      (file) => !isTest(file) && /\bvoid this\.#\w+\(/.test(readFileSync(join(SOURCE, file), "utf8")),
    )
    expect(starting).toEqual([])
  })
})

describe("files", () => {
  it("have a base name that no other file of src has, so that a name says which file is meant", () => {
    const isProduct = (file: string) => !isTest(file) && !file.split("/").includes("testing")
    const byName = Map.groupBy(files.filter(isProduct), (file) => file.split("/").at(-1))
    expect([...byName.values()].filter((same) => same.length > 1)).toEqual([])
  })

  it("are no barrels", () => {
    expect(files.filter((file) => /(^|\/)index\.tsx?$/.test(file))).toEqual([])
  })

  it("have default exports only where a route loads them", () => {
    const exporting = files.filter((file) => /^export default /m.test(readFileSync(join(SOURCE, file), "utf8")))
    expect(exporting.filter((file) => !isPage(file))).toEqual([])
  })
})
