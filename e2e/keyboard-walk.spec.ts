import { expect, test } from "./fixtures.ts"
import { createQuietWork } from "./inbox-verbs.ts"
import { walkBelowMenu, watchFocus } from "./keyboard-walk.ts"
import { addApproval } from "./revise.ts"

/** The three main pages, with a control that can be pressed when the page is ready, and a control that the walk must have pressed. */
const PAGES = [
  ["/work", "Save view", "Save view"],
  ["/approvals", "Save view", "Set aside"],
  ["/work/:id", "Decline", "Decline"],
] as const

test("the focus is never lost on a short walk with the keyboard over the three main pages", async ({ page, desk }) => {
  const work = await createQuietWork(desk)
  addApproval(desk, work.id)
  await watchFocus(page)
  for (const [path, ready, control] of PAGES)
    expect([...(await walkBelowMenu(page, path.replace(":id", work.id), ready))]).toContain(control)
})
