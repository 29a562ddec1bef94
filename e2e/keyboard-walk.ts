import type { Locator, Page } from "@playwright/test"
import { expect } from "./fixtures.ts"
import type { PersonName } from "./people-verbs.ts"

/** Where the focus is: the name of the element, whether it is a control that Enter presses, and what it is within. */
type Stop = {
  readonly name: string
  readonly kind: string
  readonly inDialog: boolean
  readonly inMenu: boolean
}

/** Controls that lead out of the app, or open a window of the browser itself. */
const LEFT_OUT = /^(Print|Sign out|Switch person|Choose files?)$/
/** The most Tabs from the beginning of a page to its end. */
const TABS_MAX = 150
/** The most rounds of a walk that still misses a control. */
const ROUNDS_MAX = 10

/** Records each loss of the focus in the pages that are opened from now on: it was on an element, and then on the body for longer than a change takes. */
export async function watchFocus(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const lost: string[] = []
    Object.assign(globalThis, { lost })
    let before = ""
    let since: number | undefined
    setInterval(() => {
      const { activeElement: active } = document
      if (active !== null && active !== document.body) {
        before = `${active.tagName} ${(active.getAttribute("aria-label") ?? active.textContent).slice(0, 60)}`
        since = undefined
      } else if (before !== "" && document.hasFocus()) {
        since ??= performance.now()
        if (performance.now() - since < 400) return
        lost.push(before)
        before = ""
      }
    }, 20)
  })
}

/** Expects that the focus is somewhere, and that the page has not lost it before. */
export async function expectFocus(page: Page, after: string): Promise<void> {
  await expect.poll(async () => (await stopOf(page)).kind, { message: `the focus after ${after}` }).not.toBe("nothing")
  expect(await page.evaluate("lost"), `what had the focus before it was lost, until ${after}`).toEqual([])
}

function stopOf(page: Page): Promise<Stop> {
  return page.evaluate(() => {
    const active = document.activeElement
    if (active === null || active === document.body)
      return { name: "", kind: "nothing", inDialog: false, inMenu: false }
    const name = active.getAttribute("aria-label") ?? active.textContent
    const isButton = active.matches("button, summary")
    const kind = active.matches("a[href]") ? "link" : isButton ? "button" : "other"
    // A count in a name is not another control.
    return {
      name: name.trim().replaceAll(/\d+/g, "#"),
      kind,
      inDialog: active.closest("dialog") !== null,
      inMenu: active.closest("nav") !== null && active.closest("main, dialog") === null,
    }
  })
}

/** The same as `walkWithMenu`, but presses only the first link of the menu: each link leaves the page, which must then be opened again. */
export async function walk(page: Page, address: string, ...controls: readonly string[]): Promise<void> {
  let link: string | undefined
  await walkOver(page, { address, controls, isLeftOut: ({ name }) => name !== (link ??= name) })
}

/**
 * Opens a page again and again, and presses every control on it once, with the keyboard alone. Each of `controls` must have been pressed at the
 * end. Some come late, or only after another was pressed, so a round that presses nothing new ends the walk only after them.
 */
export async function walkWithMenu(page: Page, address: string, ...controls: readonly string[]): Promise<void> {
  await walkOver(page, { address, controls, isLeftOut: () => false })
}

type Walk = {
  readonly address: string
  readonly controls: readonly string[]
  /** Which links of the menu are not pressed. */
  readonly isLeftOut: (menuLink: Stop) => boolean
}

async function walkOver(page: Page, { address, controls, isLeftOut }: Walk): Promise<void> {
  const pressed = new Set<string>()
  const isWanted = (stop: Stop) => {
    if (pressed.has(stop.name)) return false
    return !(stop.inMenu && stop.kind === "link" && isLeftOut(stop))
  }
  const missing = () => controls.filter((control) => !pressed.has(control))
  for (let round = 1, before = -1; before < pressed.size || (missing().length > 0 && round <= ROUNDS_MAX); round++) {
    before = pressed.size
    await page.goto(address)
    await expect(page.getByRole("heading", { level: 1 })).toBeVisible()
    // From the beginning of the page to its end.
    const next = () => nextStop(page, isWanted)
    for (let stop = await next(); stop !== undefined; stop = await next()) {
      pressed.add(stop.name)
      await pressAndComeBack(page, stop)
    }
  }
  expect(missing(), `not among ${[...pressed].join(", ")}`).toEqual([])
}

/** Presses a control. Escape leaves the dialog that it opened, and Back the page. */
async function pressAndComeBack(page: Page, { name }: Stop): Promise<void> {
  const { pathname } = new URL(page.url())
  await page.keyboard.press("Enter")
  await expectFocus(page, name)
  if ((await stopOf(page)).inDialog) {
    await page.keyboard.press("Tab")
    await page.keyboard.press("Escape")
    await expectFocus(page, `${name} and Escape`)
  }
  if (new URL(page.url()).pathname !== pathname) {
    await page.goBack()
    await expectFocus(page, `${name} and Back`)
  }
}

/** Presses a key, and expects that the focus is somewhere afterwards. */
export async function press(page: Page, key: string): Promise<void> {
  await page.keyboard.press(key)
  await expectFocus(page, key)
}

/** Tabs on to a control that `isWanted`; undefined at the end of the page. */
async function nextStop(page: Page, isWanted: (stop: Stop) => boolean): Promise<Stop | undefined> {
  for (let count = 0; count < TABS_MAX; count++) {
    await page.keyboard.press("Tab")
    const stop = await stopOf(page)
    if (stop.kind === "nothing") return undefined
    if (stop.kind !== "other" && !LEFT_OUT.test(stop.name) && isWanted(stop)) return stop
  }
  throw new Error(`No end after ${TABS_MAX} Tabs`)
}

/** Tabs on to one control, which can be pressed. */
export async function tabTo(page: Page, control: Locator, key: "Tab" | "Shift+Tab" = "Tab"): Promise<void> {
  await expect(control).toBeEnabled()
  for (let count = 0; count < TABS_MAX; count++) {
    if (await control.evaluate((element) => element === document.activeElement)) return
    await page.keyboard.press(key)
  }
  throw new Error(`${TABS_MAX} times ${key} did not lead to ${String(control)}`)
}

/** Tabs on to a control, and presses it. */
export async function tabAndPress(page: Page, control: Locator): Promise<void> {
  await tabTo(page, control)
  await press(page, "Enter")
}

/** Signs in on the page that is open, with the keyboard alone. */
export async function signInByKeyboard(page: Page, name: PersonName): Promise<void> {
  await tabTo(page, page.getByRole("button", { name: "Sign in" }))
  await page.keyboard.press("Enter")
  await page.waitForURL(/^http:\/\/localhost:/)
  await tabTo(page, page.getByRole("button", { name }))
  await page.keyboard.press("Enter")
  await page.waitForURL(/^http:\/\/127\.0\.0\.1:/)
}
