import { expect, test } from "./fixtures.ts"
import { createQuietWork, openItem } from "./inbox-verbs.ts"
import { addAttention } from "./revise.ts"

test("values that cannot be read are dropped: every page still opens", async ({ page, desk }) => {
  const work = await createQuietWork(desk)
  const id = addAttention(desk, work.id)
  await page.goto("/work")
  await page.evaluate(
    ([workId, itemId]) => {
      const item = `${workId}/${itemId}`
      const names = [
        ...["intent:answer/", "intent:approval/", "seen:answer/", "draft:answer/"].map(
          (name) => `workdesk:${name}${item}`,
        ),
        ...["intent:create-work/x", "created-work", "decided:x", "draft:new-work", "used-colleagues"].map(
          (name) => `workdesk:${name}`,
        ),
        ...["answer-intent/", "approval-intent/", "clarification-snapshot/", "draft/answer/"].map(
          (kind) => `workdesk/local/${kind}${item}`,
        ),
        ...[
          "created-work/",
          "new-work-draft/",
          "used-colleagues/",
          "activity-seen/",
          "visited/%2Fneeds-you",
          "notices/",
        ].map((kind) => `workdesk/local/${kind}`),
        "workdesk//theme/",
        "workdesk/local/draft/%E0%A4%A",
      ]
      for (const [index, name] of names.entries())
        localStorage.setItem(
          name,
          [
            "{",
            "null",
            '1 1 99999999999999 0 {"state":7}',
            '{"kind":1,"writtenAt":1,"forgetAt":99999999999999,"value":null}',
          ][index % 4] ?? "",
        )
    },
    [work.id, id],
  )
  for (const [address, heading] of [
    ["/work", "Work"],
    ["/needs-you", "Needs You"],
    ["/approvals", "Approvals"],
    ["/work/new", "New Work"],
    [`/work/${work.id}`, work.title],
  ] as const) {
    await page.goto(address)
    await expect(page.getByRole("heading", { level: 1, name: heading })).toBeVisible()
  }
  await openItem(page, "/needs-you", "Two rows share invoice 4417")
  await expect(page.getByRole("textbox", { name: "Your answer" })).toBeVisible()
})
