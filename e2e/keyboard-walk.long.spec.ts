import { expect, test } from "./fixtures.ts"
import { saveViews, VIEWS } from "./glance-verbs.ts"
import { createQuietWork, createWithApproval } from "./inbox-verbs.ts"
import { expectFocus, press, signInByKeyboard, tabTo, walk, walkWithMenu, watchFocus } from "./keyboard-walk.ts"
import { changeAccess, everybodyMay, signInAs } from "./people-verbs.ts"
import { addApproval, addAttention } from "./revise.ts"
import { addAlike } from "./together-verbs.ts"

/** Every page, with a control that its walk must have pressed. */
const PAGES = [
  ["/work", "Save view"],
  ["/work?q=nowhere", "Clear filters"],
  ["/work/new", "Create Work"],
  ["/needs-you", "Set aside"],
  ["/approvals", "Set aside"],
  ["/overview", "Show as table"],
  ["/record", "Export JSON Lines"],
  ["/notices", "More"],
  ["/nowhere", "Go to Work"],
  ["/work/:id", "Export Markdown"],
] as const

for (const [name, viewport] of Object.entries({
  "on a desk": { width: 1440, height: 900 },
  "on a phone": { width: 360, height: 640 },
}))
  test.describe(name, () => {
    test.use({ viewport })

    for (const [path, control] of PAGES)
      test(`the focus is never lost on a walk with the keyboard over ${path}`, async ({ page, desk }) => {
        test.slow()
        const work = await createQuietWork(desk)
        addApproval(desk, work.id, { summary: "The first request" })
        addApproval(desk, work.id, { summary: "The second request" })
        addAttention(desk, work.id)
        await createWithApproval(desk)
        await watchFocus(page)
        // The menu is the same on every page, so one walk presses all of it.
        const walkOver = path === "/nowhere" ? walkWithMenu : walk
        await walkOver(page, path.replace(":id", work.id), control)
      })

    test("the focus is never lost on a walk with the keyboard over letters that are read together", async ({
      page,
      desk,
    }) => {
      test.slow()
      const { workId, ids } = await addAlike(desk, 3)
      await watchFocus(page)
      const controls = viewport.width < 600 ? [] : ["Choose all that are seen"]
      await walk(page, `/needs-you?alike=${ids[0]}&work=${workId}`, "Back to the list", ...controls)
    })

    test("the focus is never lost on a walk with the keyboard over the list of Work with saved views", async ({
      page,
    }) => {
      test.slow()
      await page.goto("/work")
      await saveViews(page, VIEWS)
      await watchFocus(page)
      // A phone has the views behind More, which the walk opens once.
      await walkWithMenu(page, "/work", viewport.width < 600 ? "More" : "Rename October close")
    })

    test.describe("with results", () => {
      test.use({ deskOptions: { upstream: "artifacts" } })

      test("the focus is never lost on a walk with the keyboard over the previews of results", async ({
        page,
        artifactUpstream,
      }) => {
        test.slow()
        artifactUpstream.results = [
          { path: "profile.md", mediaType: "text/markdown", content: "# Profile\n\n| a | b |\n|---|---|\n| 1 | 2 |\n" },
          { path: "rows.csv", mediaType: "text/csv", content: `name,amount\n${"Paris,3\n".repeat(300)}` },
          { path: "object.json", mediaType: "application/json", content: '{"amount":12.5}' },
          { path: "notes.txt", mediaType: "text/plain", content: "Nothing new" },
        ]
        await watchFocus(page)
        const previews = artifactUpstream.results.map(({ path }) => `Preview ${path}`)
        await walk(page, "/work/work_1", ...previews)
      })
    })

    test.describe("with people", () => {
      test.use({ deskOptions: { people: true } })

      test("the focus is never lost on a walk with the keyboard over an inbox whose items can be taken", async ({
        page,
        desk,
      }) => {
        test.slow()
        await changeAccess(desk, everybodyMay)
        const work = await createQuietWork(desk)
        addAttention(desk, work.id)
        await watchFocus(page)
        await signInAs(page, "Ada Lovelace", "/needs-you")
        await walk(page, "/needs-you", "Take it")
      })
    })
  })

test.describe("with people", () => {
  test.use({ deskOptions: { people: true } })

  test("the focus is never lost where a person gets a role, and loses their last role", async ({ page, desk }) => {
    test.slow()
    await changeAccess(desk, () => ({ roles: {}, rules: [] }))
    await watchFocus(page)
    await page.goto("/work")
    await signInByKeyboard(page, "Ada Lovelace")
    await expect(page.getByRole("heading", { name: "You have no role here" })).toBeVisible()
    await tabTo(page, page.getByRole("button", { name: "Sign out" }))
    await changeAccess(desk, everybodyMay)
    await expect(page.getByRole("heading", { level: 1, name: "Work" })).toBeVisible({ timeout: 60_000 })
    await expectFocus(page, "the role")
    await press(page, "Tab")
    await changeAccess(desk, () => ({ roles: {}, rules: [] }))
    await expect(page.getByRole("heading", { name: "You have no role here" })).toBeVisible({ timeout: 60_000 })
    await expectFocus(page, "the loss of the role")
  })
})
