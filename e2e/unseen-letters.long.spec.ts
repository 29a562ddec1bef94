import type { Page } from "@playwright/test"
import * as fc from "fast-check"
import { search } from "../src/platform/testing/search.ts"
import { expect, test } from "./fixtures.ts"
import { createQuietWork, openItem, readToTheEnd } from "./inbox-verbs.ts"
import { askAsPerson, changeAccess, everybodyMay, openAs, signInAs } from "./people-verbs.ts"
import { addApproval, revise } from "./revise.ts"

/*
 * Random letters, windows, scrolls, versions, keys and other people: an approve leaves only for a letter that was seen whole, by keys that began in its
 * dialog, and about what that dialog has said for half a second.
 */

test.use({ deskOptions: { people: true } })

/**
 * What a person does, and what others do meanwhile. `read`: all of the letter. `settle`: waits until the buttons of letter or dialog act. `freeze` and
 * `other approve` each begin or end something, and `new version` changes the letter; the page has heard of it when the step ends.
 */
type Step =
  | { readonly do: "press"; readonly key: string }
  | { readonly do: "hold"; readonly key: string; readonly other: string }
  | { readonly do: "scroll"; readonly by: number }
  | { readonly do: "resize"; readonly width: number; readonly height: number }
  | { readonly do: "read on" | "read" | "settle" | "show newer" | Change }
type Change = "new version" | "freeze" | "other approve"

type Case = {
  readonly lines: number
  /** Whether two people must approve. */
  readonly isShared: boolean
  /** Whether Enter is pressed in the frame after each change of an open dialog, as by somebody who was about to confirm. */
  readonly confirmsChanges: boolean
  readonly width: number
  readonly height: number
  readonly steps: readonly Step[]
}

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
    arbitrary: fc.record({ do: fc.constantFrom("read on", "read on", "read", "settle", "settle", "show newer") }),
  },
)
/** A freeze that has ended and another approve leave a dialog that can be confirmed, so the next press must not be about what it said before. */
const changes = fc
  .array(
    fc.oneof(
      fc.constantFrom<Change[]>(["new version"], ["freeze"]),
      fc.constantFrom<Change[]>(["freeze", "freeze"], ["other approve"]),
    ),
    { minLength: 1, maxLength: 2 },
  )
  .map((each) => each.flat().map((what) => ({ do: what })))
const OPEN: readonly Step[] = [{ do: "read" }, { do: "settle" }, { do: "press", key: "a" }]
const CONFIRM: readonly Step[] = [
  { do: "press", key: "Control+Enter" },
  { do: "settle" },
  { do: "press", key: "Enter" },
]
/** What somebody does who approves: after nothing else, after a change of the letter that they have read, and after changes while the dialog is open. */
const approves: fc.Arbitrary<readonly Step[]> = fc.oneof(
  fc.subarray([{ do: "show newer" } as const, ...OPEN, ...CONFIRM], { minLength: 4 }),
  fc.subarray(
    [...OPEN.slice(0, 2), { do: "new version" } as const, { do: "show newer" } as const, ...OPEN.slice(1), ...CONFIRM],
    { minLength: 7 },
  ),
  {
    weight: 2,
    arbitrary: fc
      .tuple(changes, fc.subarray([...CONFIRM], { minLength: 1 }))
      .map(([changed, confirm]) => [...OPEN, ...changed, ...confirm]),
  },
)
const letters: fc.Arbitrary<Case> = fc.record({
  lines: fc.constantFrom(1, 3, 12, 40, 120),
  isShared: fc.boolean(),
  confirmsChanges: fc.boolean(),
  ...size,
  steps: fc
    .tuple(fc.array(step, { maxLength: 5, size: "max" }), approves)
    .map(([random, approving]) => [...random, { do: "press", key: "Escape" }, ...approving]),
})

const WINDOW = { isShared: false, confirmsChanges: false, width: 1280, height: 720 }
/** Tried first: the letter changes after it was read, and a freeze begins and ends while the dialog is open. */
const CASES: readonly Case[] = [
  {
    ...WINDOW,
    lines: 120,
    steps: [...OPEN.slice(0, 2), { do: "new version" }, { do: "show newer" }, ...OPEN.slice(1), ...CONFIRM],
  },
  { ...WINDOW, lines: 3, steps: [...OPEN, { do: "freeze" }, { do: "freeze" }, ...CONFIRM] },
]

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

/** An approve that has left the page. `dialog`: what the dialog said when it was confirmed, and for how long it had said so. */
type Sent = { readonly ifMatch: string; readonly isHold: boolean; readonly dialog: string; readonly saidMs: number }
type Witness = {
  readonly seen: Set<string>
  readonly faults: string[]
  readonly approves: Sent[]
  mutations: number
  confirmsChanges: boolean
}

/**
 * Notes in the page which marks were on the screen with nothing above them, whether a confirming press began in the dialog that is open, and what that
 * dialog said.
 */
function witness(): void {
  const noted: Witness = { seen: new Set(), faults: [], approves: [], mutations: 0, confirmsChanges: false }
  const { seen, faults } = noted
  const begunAt = new Map<string, number>()
  let openedAt = Number.POSITIVE_INFINITY
  let mayConfirm = false
  /** What the open dialog says, since when, and whether it has said something else before. */
  let said = { text: "", since: 0, hasChanged: false }
  /** The same at the last press that may have confirmed. */
  let pressed = { text: "", saidMs: 0 }
  Object.assign(globalThis, { witness: noted })
  const dialog = () => document.querySelector("dialog[open]")
  // Without what the person types, and the answer to a press that came too early.
  const textOf = (element: Element) =>
    [...element.querySelectorAll("h2, dl, [role=status]")].map((each) => each.textContent).join(" ")
  const confirm = () => {
    const button = [...(dialog()?.querySelectorAll("button") ?? [])].find((each) =>
      each.textContent.startsWith("Confirm "),
    )
    const key = { key: "Enter", code: "Enter", bubbles: true, cancelable: true }
    for (const type of ["keydown", "keyup"]) button?.dispatchEvent(new KeyboardEvent(type, key))
  }
  const follow = () => {
    const element = dialog()
    if (element === null) return
    const text = textOf(element)
    if (text === said.text) return
    said = { text, since: performance.now(), hasChanged: said.text !== "" }
    // A key that comes from outside the page comes too late on a slow machine.
    if (said.hasChanged && noted.confirmsChanges) requestAnimationFrame(confirm)
  }
  new MutationObserver((records) => {
    // The decision leaves after its dialog has closed.
    if (records.some(({ type }) => type === "attributes") && dialog() !== null) {
      ;[openedAt, mayConfirm] = [performance.now(), false]
      said = { text: "", since: 0, hasChanged: false }
    }
    follow()
  }).observe(document, { subtree: true, childList: true, characterData: true, attributeFilter: ["open"] })
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
      if (key !== "Enter" || repeat || dialog() === null || (begunAt.get(code) ?? 0) < openedAt) return
      follow()
      mayConfirm = true
      pressed = { text: said.text, saidMs: said.hasChanged ? timeStamp - said.since : Number.MAX_VALUE }
    },
    true,
  )
  addEventListener("keyup", ({ code }) => begunAt.delete(code), true)
  const send = globalThis.fetch
  globalThis.fetch = async (input, init) => {
    const request = input instanceof Request ? input : new Request(input, init)
    if (request.method === "POST" && request.url.endsWith("/resolve")) {
      noted.mutations++
      if (!mayConfirm) faults.push("a press from before the dialog decided")
      const isHold = request.headers.get("desk-approve") === "hold"
      const { text, saidMs } = pressed
      if ((await request.clone().text()).includes('"approve"'))
        noted.approves.push({ ifMatch: request.headers.get("if-match") ?? "", isHold, dialog: text, saidMs })
    }
    return send(input, init)
  }
}

const readWitness = (page: Page) =>
  page.evaluate(() => {
    const { seen, ...noted }: Witness = Reflect.get(globalThis, "witness")
    return { ...noted, seen: [...seen] }
  })

/** How long the dialog must have said the same, less what a slow machine may add to the moment of the press. */
const SAID_MS = 450

/** Whether a button acts that would decide, or the letter has to be read first. */
const isSettled = (page: Page) =>
  page.evaluate(() => {
    const buttons = [...document.querySelectorAll("button")].filter((each) =>
      each.checkVisibility({ visibilityProperty: true }),
    )
    const named = (name: RegExp) => buttons.find((each) => name.test(each.textContent))
    const acts = (each: HTMLButtonElement | undefined) =>
      each !== undefined && !each.disabled && each.ariaDisabled !== "true"
    const open = document.querySelector("dialog[open]")
    if (open !== null) return acts(named(/^Confirm /)) || /frozen this desk|newer version/.test(open.textContent)
    if (acts(named(/^Approve( and send)?$/))) return true
    const isKept = named(/^Read to the end$/) !== undefined || named(/^Show version /) !== undefined
    return (isKept || /frozen this desk/.test(document.body.textContent)) && acts(named(/^Decline$/))
  })

type World = { readonly hasSent: () => Promise<boolean>; readonly change: (what: Change) => Promise<void> }

async function perform(page: Page, each: Step, { hasSent, change: makeChange }: World): Promise<void> {
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
    case "freeze":
    case "other approve":
      return makeChange(each.do)
    case "settle":
      // While a decision is sent, no button acts.
      return await expect.poll(async () => (await hasSent()) || (await isSettled(page))).toBe(true)
    case "read":
      if ((await page.getByRole("dialog").count()) === 0) await readToTheEnd(page)
      return undefined
    case "read on":
    case "show newer": {
      const name = each.do === "read on" ? "Read to the end" : "Show version"
      return page.evaluate((text) => {
        // Behind an open dialog nothing can be pressed.
        const root = document.querySelector("dialog[open]") ?? document
        const found = [...root.querySelectorAll("button")].find((one) => one.textContent.startsWith(text))
        found?.click()
      }, name)
    }
  }
}

test("no approve leaves for a letter that was not seen whole, by a press from before its dialog, or right after a change", async ({
  page,
  browser,
  desk,
}) => {
  test.setTimeout(600_000)
  await changeAccess(desk, () => ({ ...everybodyMay(), rules: [{ destination: "two@*", approvalsNeeded: 2 }] }))
  await page.addInitScript(witness)
  await signInAs(page, "Ada Lovelace", "/work")
  const emil = await openAs(browser, desk, "Emil Berg", "/work")
  const dora = await openAs(browser, desk, "Dora Lind", "/work")
  let count = 0
  let approved = 0
  let isFrozen = false
  const freeze = async () => {
    isFrozen = !isFrozen
    if (isFrozen) await askAsPerson(dora, "PUT", "/desk/freeze", { colleague: null, reason: "It sends in a loop" })
    else await askAsPerson(dora, "DELETE", "/desk/freeze")
  }
  await search(
    letters,
    { runs: Number(process.env["SEARCH_RUNS"] ?? 10), fresh: true, cases: CASES },
    async (tried) => {
      if (isFrozen) await freeze()
      const work = await createQuietWork(desk, `Work ${++count}`)
      const summary = `Letter ${count}.`
      const destination = tried.isShared ? "two@halden.example" : "one@halden.example"
      let version = 1
      let isGiven = false
      const id = addApproval(desk, work.id, { summary, destination, ...partsOf(version, tried.lines) })
      await page.setViewportSize(tried)
      await openItem(page, "/approvals", summary)
      await expect.poll(() => isSettled(page)).toBe(true)
      await page.evaluate(
        (on) => Reflect.set(Reflect.get(globalThis, "witness"), "confirmsChanges", on),
        tried.confirmsChanges,
      )
      const hasSent = async () => (await readWitness(page)).mutations > 0
      const change = async (what: Change) => {
        if (what === "freeze") await freeze()
        if (what === "new version") {
          isGiven = false
          revise(desk, "approval", id, partsOf(++version, tried.lines))
        }
        // Nobody may approve during a freeze.
        if (what === "other approve" && tried.isShared && !isFrozen) {
          isGiven = !isGiven
          const address = `/api/v1/work/${work.id}/approvals/${id}/resolve`
          if (isGiven) await askAsPerson(emil, "POST", address, { decision: "approve" }, { "if-match": `"${version}"` })
          else await askAsPerson(emil, "DELETE", `/desk/approvals/${work.id}/${id}/mine`)
        }
        // A tab that is shown again reads again.
        await page.evaluate(() => document.dispatchEvent(new Event("visibilitychange")))
        const expected = {
          isFrozen,
          isGiven: tried.isShared && isGiven,
          newer: what === "new version" ? version : 0,
        }
        await expect
          .poll(
            () =>
              page.evaluate((of) => {
                const text = document.body.textContent
                return {
                  isFrozen: /has frozen this desk/.test(text),
                  isGiven: document.querySelector("[data-current]")?.textContent.includes("1 of 2 approvals") === true,
                  newer: text.includes(`Show version ${of}`) ? of : 0,
                }
              }, expected.newer),
            { intervals: [20] },
          )
          .toEqual(expected)
      }
      for (const each of [...tried.steps, { do: "settle" } as const]) {
        if (!(await hasSent())) await perform(page, each, { hasSent, change })
      }
      const { seen, faults, approves: sent } = await readWitness(page)
      expect(faults).toEqual([])
      for (const { ifMatch, isHold, dialog, saidMs } of sent) {
        approved++
        const unseen = marksOf(Number(ifMatch.replaceAll('"', "")), tried.lines).filter((each) => !seen.includes(each))
        expect(unseen, `approved version ${ifMatch}`).toEqual([])
        expect(saidMs, `the dialog has just changed to: ${dialog}`).toBeGreaterThan(SAID_MS)
        expect(isHold, dialog).toBe(dialog.includes("Kept until"))
      }
      await page.keyboard.press("Escape")
    },
  )
  console.log(`${approved} of ${count} letters were approved`)
  expect(approved).toBeGreaterThan(0)
})
