import { expect, test } from "./fixtures.ts"
import { withDesk } from "./many-works-desk.ts"
import { arrived, choose, create, file, fill, row } from "./new-work-verbs.ts"
import { releaseUpload } from "./revise.ts"

/*
 * New Work that is filled from other Work.
 */

test("an unknown priority and an unknown visibility leave the rest of the draft unchanged", async ({ page }) => {
  await withDesk(1, 0, async (desk, { works }) => {
    Object.assign(works[0] ?? {}, { title: "Count the penguins", priority: "asap", visibility_scope: "partners" })
    await page.goto(`${desk.url}/work/new?from=${works[0]?.id}`)
    await expect(page.getByLabel("Title")).toHaveValue("Count the penguins")
    await expect(page.getByRole("main")).toContainText("Not filled in: priority “asap”, visibility “partners”.")
    await page.getByLabel("Objective").fill("Count them twice")
    await page.reload()
    await expect(page.getByLabel("Objective")).toHaveValue("Count them twice")
    await expect(page.getByLabel("Title")).toHaveValue("Count the penguins")
    await expect(page.getByLabel("Priority")).toHaveValue("normal")
    await expect(page.getByLabel("Visibility")).toHaveValue("private")
  })
})

test("files that don't fit into the draft are named", async ({ page, desk }) => {
  await fill(page, "rate=0.1", "metronome")
  await choose(page, file("orders.csv", "city,amount\nParis,3\n"), file("costs.csv", "city,amount\nRome,4\n"))
  await create(page).click()
  await arrived(page)
  const workId = new URL(page.url()).pathname.replace("/work/", "")
  for (const name of ["orders.csv", "costs.csv"]) releaseUpload(desk, name)
  await page.goto("/work/new")
  await choose(page, ...["a.txt", "b.txt", "c.txt"].map((name) => file(name, name)))
  await page.goto(`/work/new?${new URLSearchParams({ again: workId, approval: "any" })}`)
  await page.getByRole("button", { name: "Replace the draft" }).click()
  await expect(page.getByRole("main")).toContainText("Work can have at most 4 files. Not attached: costs.csv.")
  await expect(row(page, "orders.csv")).toContainText("Ready")
  await expect(page.getByRole("main")).not.toContainText("can't be reused")
})
