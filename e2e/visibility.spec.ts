import { type Browser, type Page } from "@playwright/test"
import { expect, expectAccessible, test } from "./fixtures.ts"
import { changeAccess, signInAs } from "./people-verbs.ts"
import { createAsPerson } from "./record-verbs.ts"
import { addAttention } from "./revise.ts"
import type { Desk } from "./start-desk.ts"

test.use({ deskOptions: { people: true } })

/** A page of another browser, in which somebody else has signed in. */
async function pageOf(
  browser: Browser,
  desk: Desk,
  ...signIn: Parameters<typeof signInAs> extends [Page, ...infer Rest] ? Rest : never
) {
  const page = await (await browser.newContext({ baseURL: desk.url })).newPage()
  await signInAs(page, ...signIn)
  return page
}

test("New Work names who sees each scope", async ({ page, desk }) => {
  await changeAccess(desk, () => ({
    visibility: {
      teams: [
        { name: "Finance", members: ["anyone"] },
        { name: "Operations", members: ["anyone"] },
      ],
      overseers: ["subject:nobody"],
    },
  }))
  await signInAs(page, "Ben Okafor", "/work/new")
  await expect(async () => {
    await page.reload()
    await expect(page.getByLabel("Visibility").getByRole("option")).toHaveText(
      [
        "Private: you, people who may approve its requests, and overseers",
        "Team: Finance, Operations",
        "Organization: everybody at this desk",
      ],
      { timeout: 1_000 },
    )
  }).toPass({ timeout: 30_000 })
  for (const width of [1280, 390]) {
    await page.setViewportSize({ width, height: 844 })
    const cut = await page.getByRole("combobox", { name: "Visibility" }).evaluate((select: HTMLSelectElement) => {
      const words = document.createElement("div")
      words.textContent = select.selectedOptions[0]?.text ?? ""
      const { fontFamily, fontSize, lineHeight, whiteSpace } = getComputedStyle(select)
      // The browser's arrow needs room, too.
      const width = `${String(select.clientWidth - 48)}px`
      Object.assign(words.style, { fontFamily, fontSize, lineHeight, whiteSpace, width })
      document.body.append(words)
      const size = [words.scrollWidth - words.clientWidth, words.scrollHeight - select.clientHeight]
      words.remove()
      return size.filter((pixels) => pixels > 0)
    })
    expect(cut, `${width} pixels wide`).toEqual([])
    await expect(page.getByText("Visible to you"), "said twice only on a phone").toHaveCount(width === 390 ? 1 : 0)
  }
  await expectAccessible(page)
})

test("an overseer reads why they see a Work, and a page whose Work becomes concealed says so", async ({
  page,
  browser,
  desk,
}) => {
  await signInAs(page, "Ben Okafor")
  await changeAccess(desk, ({ roles }) => ({
    visibility: { overseers: ["anyone"] },
    roles: { ...(roles as object), answerer: ["anyone"] },
  }))
  const id = await createAsPerson(page, "Private of Ben", "metronome", "private")
  addAttention(desk, id)
  const cleo = await pageOf(browser, desk, "Cleo Martin")
  await expect(async () => {
    await cleo.goto(`/work/${id}`)
    await expect(cleo.getByRole("heading", { level: 1, name: "Private of Ben" })).toBeVisible({ timeout: 1_000 })
  }).toPass({ timeout: 30_000 })
  await expect(cleo.getByText("You see this as an overseer")).toBeVisible()
  await cleo.getByRole("textbox", { name: "Your answer" }).fill("Both of them")
  await expect(cleo.getByText("Draft saved")).toBeVisible()
  await page.goto(`/work/${id}`)
  await expect(page.getByRole("heading", { level: 1, name: "Private of Ben" })).toBeVisible()
  await expect(page.getByText(/You see this as/)).toHaveCount(0)

  await changeAccess(desk, () => ({ visibility: {} }))
  await expect(cleo.getByRole("heading", { level: 1, name: "You cannot see this Work any more" })).toBeVisible({
    timeout: 30_000,
  })
  await expect(cleo.getByText("Private of Ben")).toHaveCount(0)
  await expect(cleo.getByText("Both of them")).toBeVisible()
  const kept = await cleo.getByText("Your unsent answer").locator("..").boundingBox()
  const words = await cleo.getByRole("heading", { level: 2 }).boundingBox()
  expect(kept?.x).toBe(words?.x)

  // A link to it is the same page as one to a Work that is not there.
  const wordsAt = async (address: string) => {
    await cleo.goto(address)
    await expect(cleo.getByRole("heading", { level: 1 })).toHaveText("Not Found")
    await expect(cleo.getByRole("alert")).toContainText("Request ID")
    return (await cleo.getByRole("main").innerText()).replaceAll(/Request ID\s+\S+/g, "")
  }
  expect(await wordsAt(`/work/${id}`)).toBe(await wordsAt(`/work/${id.replace(/.$/, "_")}`))
  await cleo.context().close()
})
