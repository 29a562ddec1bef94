import { globSync } from "node:fs"
import { expect, it } from "vitest"
import { pages } from "./pages.ts"

it("every page has its line in the table, and all but that of one Work are in the palette", () => {
  const files = globSync("*/*-page.tsx", { cwd: import.meta.dirname })
  const codes = new Set(pages.map(({ code }) => code ?? "work/work-list-page.tsx"))
  expect([...codes].sort()).toEqual(files.sort())
  expect(pages.filter(({ name }) => name === undefined).map(({ path }) => path)).toEqual(["/work/:id"])
})
