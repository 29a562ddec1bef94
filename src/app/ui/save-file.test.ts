import { describe, expect, it } from "vitest"
import { countBytes } from "../../contract/limits.ts"
import { archivePaths, safeArchivePath, safeFileName } from "./save-file.ts"

describe("the name of a saved file", () => {
  it.each([
    ["reports/profile.md", "profile.md"],
    ["../../etc/passwd", "passwd"],
    ["..\\..\\evil.exe", "evil.exe"],
    ["..", "artifact"],
    ["", "artifact"],
    ["reports/", "artifact"],
    ['a"b\r\nContent-Type: x.csv', "a_bContent-Type_ x.csv"],
    ["invoice\u202Efdp.exe", "invoicefdp.exe"],
    ["zero\u200Bwidth\uFEFF.txt", "zerowidth.txt"],
    [".htaccess", "_htaccess"],
    ["name. . ", "name"],
    ["CON", "_CON"],
    ["nul.tar.gz", "_nul.tar.gz"],
    ["console.log", "console.log"],
    ["é\u0301tat.csv", "é\u0301tat.csv"],
    ["half\uD800.txt", "half\uFFFD.txt"],
    ["résumé 日本 😀.md", "résumé 日本 😀.md"],
  ])("%j is saved as %j", (path, name) => {
    expect(safeFileName(path)).toBe(name)
  })

  it("has at most 200 bytes, whole characters, and keeps its extension", () => {
    const name = safeFileName(`${"😀".repeat(300)}.csv`)
    expect(countBytes(name)).toBeLessThanOrEqual(200)
    expect(name).toMatch(/^😀+\.csv$/u)
    expect(safeFileName("x".repeat(300))).toBe("x".repeat(200))
    expect(safeFileName(`a.${"x".repeat(300)}`)).toHaveLength(200)
  })
})

describe("the paths in an archive", () => {
  it("keep their folders and never lead out of the archive", () => {
    expect(safeArchivePath("reports/2026/profile.md")).toBe("reports/2026/profile.md")
    expect(safeArchivePath("/etc/../../x/./y.txt")).toBe("etc/x/y.txt")
    expect(safeArchivePath("C:\\x\\y.txt")).toBe("C_/x/y.txt")
  })

  it("are all different, also for a system that ignores case", () => {
    expect(archivePaths(["a/x.md", "a/X.md", "../a/x.md", "b", "B"])).toEqual([
      "a/x.md",
      "a/X (2).md",
      "a/x (3).md",
      "b",
      "B (2)",
    ])
  })
})
