import { readFile, writeFile } from "node:fs/promises"
import type { Browser, Page } from "@playwright/test"
import { expect } from "./fixtures.ts"
import type { Desk } from "./start-desk.ts"

/** The people of the demonstration's identity provider. */
export type PersonName = "Ada Lovelace" | "Ben Okafor" | "Cleo Martin" | "Dora Lind" | "Emil Berg"

export const navigation = (page: Page) => page.getByRole("navigation", { name: "Main" })
/** The button at the end of the menu: the name of the person, `More` on a phone and in local mode. */
export const moreButton = (page: Page, name?: PersonName) =>
  navigation(page).getByRole("button", { name: new RegExp(name === undefined ? "^More$" : `^(More|${name})$`) })
export const approve = (page: Page) => page.getByRole("button", { name: "Approve", exact: true })
export const decline = (page: Page) => page.getByRole("button", { name: "Decline", exact: true })
/** What covers a page whose session has ended. */
export const lock = (page: Page) => page.getByRole("dialog", { name: "Signed out" })
export const objective = (page: Page) => page.getByLabel("Objective")

/** Opens `address`, clicks through the sign-in as `name` and waits until the app shows the person. For tests of the sign-in itself. */
export async function signInByHand(page: Page, name: PersonName, address = "/work"): Promise<void> {
  await page.goto(address)
  await page.getByRole("button", { name: "Sign in" }).click()
  await choosePerson(page, name)
  await expect(moreButton(page, name)).toBeVisible()
}

/** Signs in as `name` by the same requests without their pages, opens `address` and waits until the app shows the person. */
export async function signInAs(page: Page, name: PersonName, address = "/work"): Promise<void> {
  // An open page of another person would load itself again, in the middle of what follows.
  await page.goto("about:blank")
  const choice = await page.request.get("/desk/sign-in?return=/")
  const person = new RegExp(`value="([^"]+)"><b>${name}</b>`).exec(await choice.text())?.[1] ?? ""
  const signedIn = await page.request.post(choice.url(), { form: { person } })
  expect(signedIn.status(), await signedIn.text()).toBe(200)
  await page.goto(address)
  await expect(moreButton(page, name)).toBeVisible()
}

/** Opens a browser of another person. */
export async function openAs(browser: Browser, desk: Desk, name: PersonName, address: string): Promise<Page> {
  const page = await (await browser.newContext({ baseURL: desk.url })).newPage()
  await signInAs(page, name, address)
  return page
}

/** Sends a request to the desk as the person of a page. */
export async function askAsPerson(
  page: Page,
  method: "POST" | "PUT" | "DELETE",
  address: string,
  body?: object,
  headers: Readonly<Record<string, string>> = {},
): Promise<void> {
  const status = await page.evaluate(
    async ([how, to, json, more]) => {
      const { person } = await (await fetch("/desk/session")).json()
      const common = { "desk-person": person.id, "idempotency-key": crypto.randomUUID(), ...more }
      const sent = json === undefined ? {} : { body: json }
      const type = json === undefined ? {} : { "content-type": "application/json" }
      return (await fetch(to, { method: how, headers: { ...common, ...type }, ...sent })).status
    },
    [method, address, body && JSON.stringify(body), headers] as const,
  )
  expect(status, `${method} ${address}`).toBeLessThan(300)
}

/** Clicks on a person at the identity provider. */
export async function choosePerson(page: Page, name: PersonName): Promise<void> {
  await page.waitForURL(/^http:\/\/localhost:/)
  await page.getByRole("button", { name }).click()
}

/** Opens the person's menu and clicks on one of its buttons. */
export async function chooseInMenu(page: Page, name: PersonName, button: "Sign out" | "Switch person"): Promise<void> {
  await moreButton(page, name).click()
  await page.getByRole("button", { name: button }).click()
}

/** Signs out at the desk and at the identity provider. */
export async function signOut(page: Page, name: PersonName): Promise<void> {
  await chooseInMenu(page, name, "Sign out")
  await page.waitForURL(/^http:\/\/localhost:/)
  await page.getByRole("button", { name: "Sign out" }).click()
  await expect(page.getByRole("heading", { level: 1, name: "Sign in" })).toBeVisible()
}

/** Changes the access file, which the desk reads again within ten seconds. */
export async function changeAccess(desk: Desk, change: (access: Record<string, unknown>) => object): Promise<void> {
  const access = JSON.parse(await readFile(desk.accessFile, "utf8")) as Record<string, unknown>
  await writeFile(desk.accessFile, JSON.stringify({ ...access, ...change(access) }))
}

/** For `changeAccess`: everybody has every role. */
export function everybodyMay(): object {
  const anyone = ["anyone"]
  return { roles: { reader: anyone, answerer: anyone, delegator: anyone, approver: anyone }, rules: [] }
}
