import { expect, test } from "./fixtures.ts"
import { createQuietWork, openItem, QUESTION } from "./inbox-verbs.ts"
import { addApproval, addAttention, revise } from "./revise.ts"

test("an answer is typed beside the four facts, counted, sent with mod+Enter and recorded", async ({
  page,
  desk,
  relay,
}) => {
  const work = await createQuietWork(desk)
  addAttention(desk, work.id, { version: 41n })
  await openItem(page, "/needs-you", QUESTION)
  const card = page.getByRole("article")
  for (const fact of ["Rows 212 and 349", "The total to pay", "Keep 1,840.00", "The supplier stays out"])
    await expect(card).toContainText(fact)
  const box = page.getByRole("textbox", { name: "Your answer" })
  const send = page.getByRole("button", { name: "Send answer" })
  await expect(send).toBeDisabled()
  await page.getByRole("button", { name: "Use recommendation" }).click()
  await expect(box).toHaveValue("Keep 1,840.00: it matches the purchase order.")
  await expect(box).toBeFocused()

  await box.fill("𝔞".repeat(4003))
  await expect(send).toBeDisabled()
  await expect(card).toContainText("3 characters too many")
  await expect(card.getByRole("button", { name: "Send answer" })).toHaveAccessibleDescription(/3 characters too many/)
  await expect(box).toHaveValue("𝔞".repeat(4003))
  await box.fill("Keep the first")
  await expect(send).toBeEnabled()
  await page.keyboard.down("Control")
  for (let count = 0; count < 20; count++) await page.keyboard.down("Enter")
  await page.keyboard.up("Enter")
  await page.keyboard.up("Control")
  await expect(card).toContainText("Answer recorded")
  await expect(card).toContainText("Recorded bysa_demo")
  await expect(card).toContainText("Keep the first")
  await expect(card).toContainText("Version42")
  expect(relay.mutations()).toHaveLength(1)
  expect(relay.mutations()[0]).toMatchObject({ ifMatch: '"41"', body: '{"response":"Keep the first"}' })
})

test("a draft survives reload, navigation and an error, and is the same in another tab", async ({
  page,
  context,
  desk,
}) => {
  const work = await createQuietWork(desk)
  addAttention(desk, work.id)
  await openItem(page, "/needs-you", QUESTION)
  const box = page.getByRole("textbox", { name: "Your answer" })
  await box.fill("Half an answer")
  await page.reload()
  await expect(box).toHaveValue("Half an answer")
  await page.goto(`/work/${work.id}`)
  await expect(box).toHaveValue("Half an answer")
  const other = await context.newPage()
  await openItem(other, "/needs-you", QUESTION)
  await expect(other.getByRole("textbox", { name: "Your answer" })).toHaveValue("Half an answer")
  await box.fill("A whole answer")
  await expect(other.getByRole("textbox", { name: "Your answer" })).toHaveValue("A whole answer")
})

test("412: the facts that changed stand old beside new, and the answer stays", async ({ page, desk, relay }) => {
  const work = await createQuietWork(desk)
  const id = addAttention(desk, work.id)
  await openItem(page, "/needs-you", QUESTION)
  await page.getByRole("textbox", { name: "Your answer" }).fill("Keep the first")
  revise(desk, "attention", id, { what_happened: "Now three rows do.", recommended_action: "Keep none." })
  await page.getByRole("button", { name: "Send answer" }).click()
  const card = page.getByRole("article")
  await expect(card.getByRole("deletion")).toHaveCount(2)
  await expect(card.getByRole("insertion").first()).toContainText("Now three rows do.")
  await expect(page.getByRole("alert")).toContainText(/Request ID\s*\S+/)
  await expect(page.getByRole("textbox", { name: "Your answer" })).toHaveValue("Keep the first")
  await page.getByRole("button", { name: "Send answer" }).click()
  await expect(card).toContainText("Answer recorded")
  expect(relay.mutations().map(({ ifMatch }) => ifMatch)).toEqual(['"1"', '"2"'])
})

test("on a Work's page every open clarification and every pending approval has its own controls", async ({
  page,
  desk,
}) => {
  const work = await createQuietWork(desk)
  addAttention(desk, work.id, { title: "The first question" })
  addAttention(desk, work.id, { title: "The second question" })
  addApproval(desk, work.id, { summary: "The first request" })
  addApproval(desk, work.id, { summary: "The second request" })
  await page.goto(`/work/${work.id}`)
  const questions = page.getByRole("region", { name: "Needs You" })
  const requests = page.getByRole("region", { name: "Approvals" })
  await expect(questions.getByRole("textbox", { name: "Your answer" })).toHaveCount(2)
  await expect(requests.getByRole("button", { name: "Approve", exact: true })).toHaveCount(2)

  const second = questions.getByRole("article").filter({ hasText: "The second question" })
  await second.getByRole("textbox", { name: "Your answer" }).fill("To the second")
  await second.getByRole("button", { name: "Send answer" }).click()
  await expect(second).toContainText("Answer recorded")
  await expect(questions.getByRole("textbox", { name: "Your answer" })).toHaveValue("")

  const request = requests.getByRole("article").filter({ hasText: "The second request" })
  await request.getByRole("button", { name: "Decline", exact: true }).click()
  await page.getByRole("button", { name: "Confirm decline" }).click()
  await expect(request).toContainText("Declined")
  await page.reload()
  await expect(questions.getByRole("article").filter({ hasText: "The second question" })).toContainText("To the second")
  await expect(requests.getByRole("article").filter({ hasText: "The second request" })).toContainText(
    "Recorded bysa_demo",
  )
})

test("the choices of a question fill the answer, and send nothing", async ({ page, desk, relay }) => {
  const work = await createQuietWork(desk)
  addAttention(desk, work.id, { title: "What shall I do with the notes: leave, tidy or repair?" })
  await openItem(page, "/needs-you", "What shall I do")
  const choices = page.getByRole("group", { name: "Choices" }).getByRole("button")
  await expect(choices).toHaveText(["leave", "tidy", "repair"])
  const box = page.getByRole("textbox", { name: "Your answer" })
  await choices.nth(1).click()
  await expect(box).toHaveValue("tidy")
  await choices.nth(2).click()
  await expect(box).toHaveValue("repair")
  await box.fill("But only today:")
  await choices.nth(0).click()
  await expect(box).toHaveValue("But only today:\nleave")
  expect(relay.mutations()).toEqual([])
})
