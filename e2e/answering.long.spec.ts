import { expect, test } from "./fixtures.ts"
import { answer, createQuietWork, openItem, QUESTION } from "./inbox-verbs.ts"
import { addAttention } from "./revise.ts"

test("what the browser cannot keep is said, and an older text is not shown for the newer", async ({ page, desk }) => {
  const work = await createQuietWork(desk)
  addAttention(desk, work.id)
  await openItem(page, "/needs-you", QUESTION)
  const box = page.getByRole("textbox", { name: "Your answer" })
  await box.fill("Half")
  await expect(page.getByText("Draft saved")).toBeVisible()
  await page.evaluate(() => {
    for (let size = 4_000_000; size >= 1; size = Math.floor(size / 2)) {
      const fill = "x".repeat(size)
      try {
        for (let count = 0; count < 4; count++) localStorage.setItem(`fill ${size} ${count}`, fill)
      } catch {
        // Full for this size: the next one is smaller.
      }
    }
  })
  await box.fill("Half an answer and then a good deal more than there is room for. ".repeat(60))
  await expect(page.getByText("This text isn't saved")).toBeVisible()
  await page.getByRole("button", { name: "Send answer" }).click()
  await expect(page.getByRole("alert")).toContainText("Nothing was sent")
  await page.reload()
  await expect(box).toHaveValue("Half")
  await expect(page.getByText("This is an older version of your text")).toBeVisible()
})

test("what is answered elsewhere becomes a tombstone that keeps what was typed", async ({ page, desk }) => {
  const work = await createQuietWork(desk)
  addAttention(desk, work.id)
  await openItem(page, "/needs-you", QUESTION)
  await page.getByRole("textbox", { name: "Your answer" }).fill("Half an answer")
  await desk.owner.answer(work.id, "Theirs")
  const card = page.getByRole("article")
  await expect(card).toContainText("answered or withdrawn elsewhere", { timeout: 30_000 })
  await expect(card).toContainText("Half an answer")
  await expect(page.getByRole("textbox", { name: "Your answer" })).toHaveCount(0)
})

test("no activity for five minutes since the answer is said", async ({ page, desk }) => {
  const work = await createQuietWork(desk)
  addAttention(desk, work.id)
  await page.clock.install()
  await openItem(page, "/needs-you", QUESTION)
  const box = page.getByRole("textbox", { name: "Your answer" })
  await expect(box).toBeVisible()
  await page.clock.runFor(1000)
  await answer(page, "Keep the first")
  await expect(page.getByRole("article")).toContainText("Answer recorded")
  await expect(page.getByText(/No activity within five minutes/)).toHaveCount(0)
  await page.clock.fastForward("05:05")
  await expect(page.getByText("No activity within five minutes of your answer")).toBeVisible()
})
