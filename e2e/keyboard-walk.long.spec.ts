import { expect, test } from "./fixtures.ts"
import { createQuietWork, createWithApproval } from "./inbox-verbs.ts"
import { walk, watchFocus } from "./keyboard-walk.ts"
import { changeAccess, signInAs } from "./people-verbs.ts"
import { addApproval, addAttention } from "./revise.ts"

/** Every page, with a control that its walk must have pressed. */
const PAGES = [
  ["/work", "Save view"],
  ["/work?q=nowhere", "Clear filters"],
  ["/work/new", "Create Work"],
  ["/needs-you", "Set aside"],
  ["/approvals", "Set aside"],
  ["/overview", "Show as table"],
  ["/record", "Export JSON Lines"],
  ["/notices", "Keyboard shortcuts"],
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
        expect([...(await walk(page, path.replace(":id", work.id)))]).toContain(control)
      })
  })

test.describe("with people", () => {
  test.use({ deskOptions: { people: true } })

  test("the focus is never lost on a walk with the keyboard over an inbox whose items can be taken", async ({
    page,
    desk,
  }) => {
    test.slow()
    const anyone = ["anyone"]
    await changeAccess(desk, () => ({
      roles: { reader: anyone, answerer: anyone, delegator: anyone, approver: anyone },
      rules: [],
    }))
    const work = await createQuietWork(desk)
    addAttention(desk, work.id)
    await watchFocus(page)
    await signInAs(page, "Ada Lovelace", "/needs-you")
    expect([...(await walk(page, "/needs-you"))]).toContain("Take it")
  })
})
