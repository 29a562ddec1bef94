import type { Page } from "@playwright/test"
import * as fc from "fast-check"
import { search } from "../src/platform/testing/search.ts"
import { expect, test } from "./fixtures.ts"
import { createQuietWork, openItem, readToTheEnd } from "./inbox-verbs.ts"
import { addApproval, revise } from "./revise.ts"

/* Random letters, windows, scrolls, versions and keys: an approve leaves only for a letter that was seen whole, by keys that began in its dialog. */

/** What a person does. `read`: all of the letter. `settle`: waits until the buttons of letter or dialog act. */
type Step =
  | { readonly do: "press"; readonly key: string }
  | { readonly do: "hold"; readonly key: string; readonly other: string }
  | { readonly do: "scroll"; readonly by: number }
  | { readonly do: "resize"; readonly width: number; readonly height: number }
  | { readonly do: "read on" | "read" | "settle" | "new version" | "show newer" }

type Case = { readonly lines: number; readonly width: number; readonly height: number; readonly steps: readonly Step[] }

const KEYS = [
  "a",
  "a",
  "Control+Enter",
  "Control+Enter",
  "Enter",
  "Enter",
  " ",
  "End",
  "Home",
  "PageDown",
  "Escape",
  "d",
]
const size = { width: fc.constantFrom(320, 390, 800, 1280), height: fc.constantFrom(256, 480, 720, 900) }
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant("press" as const), key: fc.constantFrom(...KEYS) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant("hold" as const),
      key: fc.constantFrom("Enter", "a"),
      other: fc.constantFrom("a", "Enter", "Control+Enter"),
    }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("scroll" as const), by: fc.integer({ min: -600, max: 900 }) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("resize" as const), ...size }) },
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constantFrom("read on", "read on", "read", "settle", "settle", "new version", "show newer"),
    }),
  },
)
/** The steps of somebody who approves. Random ones are left out. */
const APPROVE: readonly Step[] = [
  { do: "show newer" },
  { do: "read" },
  { do: "settle" },
  { do: "press", key: "a" },
  { do: "press", key: "Control+Enter" },
  { do: "settle" },
  { do: "press", key: "Enter" },
]
const letters: fc.Arbitrary<Case> = fc.record({
  lines: fc.constantFrom(1, 3, 12, 40, 120),
  ...size,
  steps: fc
    .tuple(fc.array(step, { maxLength: 8, size: "max" }), fc.subarray([...APPROVE], { minLength: 4 }))
    .map((all) => all.flat()),
})

/** A word for each part of a letter in a version, so that the page can say which parts were seen. */
const mark = (version: number, part: string | number) => `mark-${version}-${part}-`
const partsOf = (version: number, lines: number) => ({
  subject: `About ${mark(version, "subject")}`,
  risk: `It costs ${mark(version, "risk")}`,
  policy_reason: `Above the limit ${mark(version, "policy")}`,
  body: Array.from({ length: lines }, (_, line) => `Line ${mark(version, line)}`).join("\n\n"),
})
const marksOf = (version: number, lines: number) => [
  ...["subject", "risk", "policy"].map((part) => mark(version, part)),
  ...Array.from({ length: lines }, (_, line) => mark(version, line)),
]

/** Notes in the page which marks were on the screen with nothing above them, and whether a confirming press began in the dialog that is open. */
function witness(): void {
  const seen = new Set<string>()
  const begunAt = new Map<string, number>()
  let openedAt = Number.POSITIVE_INFINITY
  const faults: string[] = []
  let mayConfirm = false
  Object.assign(globalThis, { witness: { seen, faults } })
  const isOpen = () => document.querySelector("dialog[open]") !== null
  new MutationObserver(() => {
    // The decision leaves after its dialog has closed.
    if (isOpen()) [openedAt, mayConfirm] = [performance.now(), false]
  }).observe(document, { subtree: true, attributeFilter: ["open"] })
  const look = () => {
    const walker = document.createTreeWalker(document.body ?? document, NodeFilter.SHOW_TEXT)
    for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
      for (const found of (node.nodeValue ?? "").matchAll(/mark-\d+-\w+-/g)) {
        if (seen.has(found[0])) continue
        const range = document.createRange()
        range.setStart(node, found.index)
        range.setEnd(node, found.index + found[0].length)
        const { left, right, top, bottom } = range.getBoundingClientRect()
        if (top < 0 || bottom > innerHeight || bottom === top) continue
        const above = document.elementFromPoint((left + right) / 2, (top + bottom) / 2)
        if (above !== null && (above === node.parentElement || above.contains(node))) seen.add(found[0])
      }
    }
    requestAnimationFrame(look)
  }
  requestAnimationFrame(look)
  addEventListener(
    "keydown",
    ({ code, key, repeat, timeStamp }) => {
      if (!begunAt.has(code)) begunAt.set(code, timeStamp)
      if (key === "Enter" && !repeat && isOpen() && (begunAt.get(code) ?? 0) >= openedAt) mayConfirm = true
    },
    true,
  )
  addEventListener("keyup", ({ code }) => begunAt.delete(code), true)
  const send = globalThis.fetch
  globalThis.fetch = (input, init) => {
    const { url, method } = input instanceof Request ? input : new Request(input, init)
    if (method === "POST" && url.endsWith("/resolve") && !mayConfirm)
      faults.push("a press from before the dialog decided")
    return send(input, init)
  }
}

/** Whether a button acts that would decide, or the letter has to be read first. */
const isSettled = (page: Page) =>
  page.evaluate(() => {
    const buttons = [...document.querySelectorAll("button")].filter((each) =>
      each.checkVisibility({ visibilityProperty: true }),
    )
    const named = (name: RegExp) => buttons.find((each) => name.test(each.textContent))
    const acts = (each: HTMLButtonElement | undefined) =>
      each !== undefined && !each.disabled && each.ariaDisabled !== "true"
    if (document.querySelector("dialog[open]") !== null) return acts(named(/^Confirm /))
    return acts(named(/^Approve$/)) || (named(/^Read to the end$/) !== undefined && acts(named(/^Decline$/)))
  })

type Letter = { readonly sent: () => readonly unknown[]; readonly newVersion: () => void }

async function take(page: Page, each: Step, { sent, newVersion }: Letter): Promise<void> {
  switch (each.do) {
    case "press":
      return page.keyboard.press(each.key)
    case "hold":
      await page.keyboard.down(each.key)
      await page.keyboard.press(each.other)
      // The second one is a repeat.
      await page.keyboard.down(each.key)
      return page.keyboard.up(each.key)
    case "scroll":
      return page.mouse.wheel(0, each.by)
    case "resize":
      return page.setViewportSize(each)
    case "new version":
      return newVersion()
    case "settle":
      // While a decision is sent, no button acts.
      return await expect.poll(async () => sent().length > 0 || (await isSettled(page))).toBe(true)
    case "read":
      if ((await page.getByRole("dialog").count()) === 0) await readToTheEnd(page)
      return undefined
    case "read on":
    case "show newer": {
      const name = each.do === "read on" ? "Read to the end" : "Show version"
      return page.evaluate((text) => {
        const found = [...document.querySelectorAll("button")].find((one) => one.textContent.startsWith(text))
        found?.click()
      }, name)
    }
  }
}

test("no approve leaves for a letter that was not seen whole, or by a press from before its dialog", async ({
  page,
  desk,
  relay,
}) => {
  test.setTimeout(600_000)
  await page.addInitScript(witness)
  let count = 0
  let approved = 0
  await search(letters, { runs: Number(process.env["SEARCH_RUNS"] ?? 25), fresh: true }, async (tried) => {
    const work = await createQuietWork(desk, `Work ${++count}`)
    const summary = `Letter ${count}.`
    let version = 1
    const id = addApproval(desk, work.id, { summary, ...partsOf(version, tried.lines) })
    await page.setViewportSize(tried)
    await openItem(page, "/approvals", summary)
    await expect.poll(() => isSettled(page)).toBe(true)
    const sent = () => relay.mutations().filter(({ path }) => path.includes(id))
    const newVersion = () => {
      version++
      revise(desk, "approval", id, partsOf(version, tried.lines))
    }
    for (const each of [...tried.steps, { do: "settle" } as const]) {
      if (sent().length === 0) await take(page, each, { sent, newVersion })
    }
    const { seen, faults } = await page.evaluate(() => {
      const { seen, faults }: { seen: Set<string>; faults: string[] } = Reflect.get(globalThis, "witness")
      return { seen: [...seen], faults }
    })
    expect(faults).toEqual([])
    for (const { body, ifMatch } of sent()) {
      if (!body.includes("approve")) continue
      approved++
      const unseen = marksOf(Number(ifMatch?.replaceAll('"', "")), tried.lines).filter((each) => !seen.includes(each))
      expect(unseen, `approved version ${ifMatch}`).toEqual([])
    }
    await page.keyboard.press("Escape")
  })
  console.log(`${approved} of ${count} letters were approved`)
  expect(approved).toBeGreaterThan(0)
})
