import type { Page } from "@playwright/test"
import * as fc from "fast-check"
import { search } from "../src/platform/testing/search.ts"
import { expect, test } from "./fixtures.ts"
import { createQuietWork } from "./inbox-verbs.ts"
import { addApproval, remove, revise } from "./revise.ts"
import { readToTheEndOf, readTogether } from "./together-verbs.ts"

/*
 * Random groups, windows, scrolls, choices, changes and keys: a decision leaves only for a row that was on the screen in the version that is sent, beside
 * the whole first letter, and after its destination was on the screen in the dialog.
 */

/**
 * What a person does, and what others do meanwhile. `choose` clicks the box of a row, wherever it stands. `insist`: presses Enter on `Confirm …` in
 * each of 60 frames. `revise` changes the letter of a row.
 */
type Step =
  | { readonly do: "press"; readonly key: string }
  | { readonly do: "scroll"; readonly by: number }
  | { readonly do: "resize"; readonly width: number; readonly height: number }
  | { readonly do: "choose" | "revise"; readonly row: number }
  | { readonly do: "read on" | "read" | "choose all" | "insist" | "settle" | "freeze" | "reopen" }

type Case = {
  readonly rows: number
  readonly lines: number
  /** Whether each answer takes so long that letters change while others are sent. */
  readonly isSlow: boolean
  /** Whether Enter is pressed in the frame after each change of an open dialog, as by somebody who was about to confirm. */
  readonly confirmsChanges: boolean
  readonly width: number
  readonly height: number
  readonly steps: readonly Step[]
}

const ROWS_MAX = 14
const KEYS = ["a", "a", "d", "Control+Enter", "Control+Enter", "Enter", " ", "End", "Home", "PageDown", "Escape", "Tab"]
const size = { width: fc.constantFrom(590, 640, 800, 1280), height: fc.constantFrom(270, 480, 720, 900) }
const row = fc.nat({ max: ROWS_MAX - 1 })
const press: fc.Arbitrary<Step> = fc.record({ do: fc.constant("press" as const), key: fc.constantFrom(...KEYS) })
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: press },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("scroll" as const), by: fc.integer({ min: -600, max: 900 }) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("resize" as const), ...size }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("choose" as const), row }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("revise" as const), row }) },
  { weight: 6, arbitrary: fc.record({ do: fc.constantFrom("read on", "choose all", "insist", "settle", "reopen") }) },
)
const ASK: readonly Step[] = [{ do: "read" }, { do: "settle" }, { do: "choose all" }, { do: "press", key: "a" }]
const READ_LIST: readonly Step[] = [{ do: "read on" }, { do: "read" }]
const CONFIRM: readonly Step[] = [{ do: "press", key: "Control+Enter" }, { do: "insist" }]
const FREEZE: readonly Step[] = [{ do: "freeze" }, { do: "freeze" }]
const change: fc.Arbitrary<readonly Step[]> = fc.oneof(
  row.map((each): Step[] => [{ do: "revise", row: each }]),
  fc.constant(FREEZE),
)
/** What somebody does who decides: with parts left out, with changes while the dialog is open, and with changes while letters are sent. */
const decides: fc.Arbitrary<readonly Step[]> = fc.oneof(
  fc.subarray([...ASK, ...READ_LIST, ...CONFIRM], { minLength: 4 }),
  fc
    .tuple(change, fc.subarray([...READ_LIST, ...CONFIRM], { minLength: 3 }))
    .map(([changed, rest]) => [...ASK, ...changed, ...rest]),
  fc
    .tuple(row, row)
    .map(([one, other]): Step[] => [
      ...ASK,
      ...READ_LIST,
      { do: "insist" },
      { do: "revise", row: one },
      { do: "revise", row: other },
    ]),
)
const groups: fc.Arbitrary<Case> = fc.record({
  rows: fc.integer({ min: 2, max: ROWS_MAX }),
  lines: fc.constantFrom(1, 3, 12, 40),
  isSlow: fc.boolean(),
  confirmsChanges: fc.boolean(),
  ...size,
  steps: fc
    .tuple(fc.array(step, { maxLength: 5, size: "max" }), decides)
    .map(([random, deciding]) => [...random, { do: "press", key: "Escape" }, ...deciding]),
})

const WINDOW = { isSlow: false, confirmsChanges: false, width: 1280, height: 720 }
/**
 * Tried first: a list that doesn't fit (it was confirmed after presses of `Read to the end` that came within one frame), rows below the window, a
 * change while letters are sent, and a freeze that begins and ends while the dialog is open.
 */
const CASES: readonly Case[] = [
  {
    ...WINDOW,
    height: 270,
    rows: 12,
    lines: 3,
    steps: [
      ...ASK,
      ...CONFIRM,
      ...Array.from({ length: 6 }, (): Step => ({ do: "read on" })),
      ...CONFIRM,
      ...READ_LIST,
      ...CONFIRM,
    ],
  },
  { ...WINDOW, height: 480, rows: 4, lines: 3, steps: [...ASK.slice(1), ...READ_LIST, ...CONFIRM] },
  { ...WINDOW, isSlow: true, rows: 8, lines: 1, steps: [...ASK, { do: "insist" }, { do: "revise", row: 7 }] },
  { ...WINDOW, confirmsChanges: true, rows: 3, lines: 1, steps: [...ASK, ...FREEZE, ...CONFIRM] },
]

/** A word for each part of a row in a version, so that the page can say which parts were seen. Each is one token, so all of it differs. */
const mark = (version: number, index: number, part: string) => `mark${version}r${index}${part}`
/** A word for a part that all letters share. */
const shared = (part: string | number) => `markall${part}`
const partsOf = (version: number, index: number, lines: number) => ({
  destination: `${mark(version, index, "to")}@halden.example`,
  subject: `About ${mark(version, index, "subject")}`,
  body: [
    ...Array.from({ length: lines }, (_, line) => `Line ${shared(line)}`),
    `Pay ${mark(version, index, "body")} now.`,
  ].join("\n\n"),
})

/** A decision that has left the page. */
type Sent = { readonly id: string; readonly version: number }
/** A press that may have confirmed: which destinations its dialog had shown, and for how long it had said the same and shown no more. */
type Press = { readonly dialogSeen: readonly string[]; readonly saidMs: number; readonly seenMs: number }
type Witness = {
  readonly seen: Set<string>
  readonly faults: string[]
  readonly sent: Sent[]
  /** When the desk told this page of a version, by its mark. */
  readonly heardAt: Record<string, number>
  /** The ids of the letters, in the order of the rows. */
  ids: readonly string[]
  pressed: Press | undefined
  confirmsChanges: boolean
  slowMs: number
}

/** Notes in the page which marks were on the screen with nothing above them, and where; and what the open dialog said when it was confirmed. */
function witness(): void {
  const noted: Witness = {
    seen: new Set(),
    faults: [],
    sent: [],
    heardAt: {},
    ids: [],
    pressed: undefined,
    confirmsChanges: false,
    slowMs: 0,
  }
  const { seen, faults } = noted
  const begunAt = new Map<string, number>()
  let openedAt = Number.POSITIVE_INFINITY
  let mayConfirm = false
  let said = { text: "", since: 0 }
  let lastSeenAt = 0
  const dialog = () => document.querySelector("dialog[open]")
  // Without what the person types, and the answer to a press that came too early.
  const textOf = (element: Element) =>
    [...element.querySelectorAll("h2, li, [role=status]")].map((each) => each.textContent).join(" ")
  const confirm = () => {
    const button = [...(dialog()?.querySelectorAll("button") ?? [])].find((each) =>
      each.textContent.startsWith("Confirm "),
    )
    const key = { key: "Enter", code: "Enter", bubbles: true, cancelable: true }
    for (const type of ["keydown", "keyup"]) button?.dispatchEvent(new KeyboardEvent(type, key))
  }
  Object.assign(globalThis, { witness: noted, confirmNow: confirm })
  const follow = () => {
    const element = dialog()
    if (element === null) return
    const text = textOf(element)
    if (text === said.text) return
    const hasChanged = said.text !== ""
    said = { text, since: performance.now() }
    // A key that comes from outside the page comes too late on a slow machine.
    if (hasChanged && noted.confirmsChanges) requestAnimationFrame(confirm)
  }
  const opened = () => {
    ;[openedAt, mayConfirm, lastSeenAt] = [performance.now(), false, performance.now()]
    said = { text: "", since: performance.now() }
    for (const each of seen) if (each.startsWith("dialog ")) seen.delete(each)
  }
  new MutationObserver((records) => {
    if (records.some(({ type }) => type === "attributes") && dialog() !== null) opened()
    follow()
  }).observe(document, { subtree: true, childList: true, characterData: true, attributeFilter: ["open"] })
  const placeOf = (element: Element | null) => {
    if (element?.closest("dialog")) return "dialog"
    return element?.closest("tr") ? "row" : "letter"
  }
  const look = () => {
    const walker = document.createTreeWalker(document.body ?? document, NodeFilter.SHOW_TEXT)
    for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
      for (const found of (node.nodeValue ?? "").matchAll(/mark(?:all|\d+r\d+)\w+/g)) {
        const name = `${placeOf(node.parentElement)} ${found[0]}`
        if (seen.has(name)) continue
        const range = document.createRange()
        range.setStart(node, found.index)
        range.setEnd(node, found.index + found[0].length)
        // A word may be broken into lines.
        const isShown = [...range.getClientRects()].every(({ left, right, top, bottom }) => {
          if (top < 0 || bottom > innerHeight || bottom === top) return false
          const above = document.elementFromPoint((left + right) / 2, (top + bottom) / 2)
          return above !== null && (above === node.parentElement || above.contains(node))
        })
        if (!isShown) continue
        seen.add(name)
        if (name.startsWith("dialog ")) lastSeenAt = performance.now()
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
      const dialogSeen = [...seen].filter((each) => each.startsWith("dialog "))
      noted.pressed = { dialogSeen, saidMs: timeStamp - said.since, seenMs: timeStamp - lastSeenAt }
    },
    true,
  )
  addEventListener("keyup", ({ code }) => begunAt.delete(code), true)
  const hear = async (answer: Response) => {
    for (const [found] of (await answer.text()).matchAll(/mark\d+r\d+to/g)) noted.heardAt[found] ??= performance.now()
  }
  const send = globalThis.fetch
  globalThis.fetch = async (input, init) => {
    const request = input instanceof Request ? input : new Request(input, init)
    if (request.method !== "POST" || !request.url.endsWith("/resolve")) {
      const answer = await send(input, init)
      if (request.url.includes("/desk/waiting")) void hear(answer.clone())
      return answer
    }
    if (!mayConfirm) faults.push("a press from before the dialog decided")
    const id = request.url.split("/").at(-2) ?? ""
    const version = Number(request.headers.get("if-match")?.replaceAll('"', ""))
    const newerAt = noted.heardAt[`mark${version + 1}r${noted.ids.indexOf(id)}to`]
    // What the desk has said is on the screen within a second, also on a slow machine.
    if (newerAt !== undefined && performance.now() - newerAt > 1_000)
      faults.push("a letter left after a newer version had come")
    noted.sent.push({ id, version })
    const answer = await send(request)
    await new Promise((resolve) => setTimeout(resolve, noted.slowMs))
    return answer
  }
}

const readWitness = (page: Page) =>
  page.evaluate(() => {
    const { seen, ...noted }: Witness = Reflect.get(globalThis, "witness")
    return { ...noted, seen: [...seen] }
  })

/** How long the dialog must have said and shown the same, less what a slow machine may add to the moments of the press and of the frame. */
const CALM_MS = 400

/** Whether nothing is under way: no letter is being sent, and `Confirm …` acts or can't act by waiting. */
const isSettled = (page: Page) =>
  page.evaluate(() => {
    const open = document.querySelector("dialog[open]")
    const acts = (each: Element) =>
      each instanceof HTMLButtonElement &&
      each.ariaDisabled !== "true" &&
      each.checkVisibility({ visibilityProperty: true })
    const buttons = [...(open ?? document).querySelectorAll("button")]
    if (open !== null) {
      if (buttons.some((each) => /^(Confirm |Read to the end)/.test(each.textContent) && acts(each))) return true
      return /No letter is chosen any more|frozen/.test(open.textContent)
    }
    // Rows far below the window are not checked yet.
    const near = [...document.querySelectorAll("tr td:last-child")].filter(
      (each) => each.getBoundingClientRect().top < innerHeight * 1.4,
    )
    if (near.some((each) => each.textContent.startsWith("Still checking"))) return false
    const states = [...document.querySelectorAll("tr td:last-child")].map((each) => each.textContent)
    return !states.some((each) => /^(Waiting|Approving|Declining)/.test(each))
  })

test("no decision leaves for a row that was not on the screen in its version, or after its list was not", async ({
  page,
  desk,
}) => {
  test.setTimeout(600_000)
  await page.addInitScript(witness)
  const { id: workId } = await createQuietWork(desk)
  let [count, decided] = [0, 0]
  let isFrozen = false
  const freeze = async () => {
    isFrozen = !isFrozen
    const answer = isFrozen
      ? await page.request.put("/desk/freeze", { data: { colleague: null, reason: "It sends in a loop" } })
      : await page.request.delete("/desk/freeze")
    expect(answer.ok()).toBe(true)
    await expect.poll(() => page.evaluate(() => /frozen this desk/.test(document.body.textContent))).toBe(isFrozen)
  }
  await search(groups, { runs: Number(process.env["SEARCH_RUNS"] ?? 2), fresh: true, cases: CASES }, async (tried) => {
    const { rows, lines, steps } = tried
    if (isFrozen) await freeze()
    const common = { risk: `It costs ${shared("risk")} ${++count}`, policy_reason: shared("policy") }
    const ids = Array.from({ length: rows }, (_, index) =>
      addApproval(desk, workId, { summary: `Letter ${count}.${index}`, ...common, ...partsOf(1, index, lines) }),
    )
    const versions = ids.map(() => 1)
    /** The card has come, and it knows how this case goes. */
    const opened = async () => {
      await page.evaluate(
        ([known, confirmsChanges, slowMs]) => {
          const noted: Witness = Reflect.get(globalThis, "witness")
          // The letters of the case before had the same marks.
          for (const each of Object.keys(noted.heardAt)) if (!each.startsWith("mark1r")) delete noted.heardAt[each]
          Object.assign(noted, { ids: known, confirmsChanges, slowMs })
        },
        [ids, tried.confirmsChanges, tried.isSlow ? 600 : 0] as const,
      )
      const shown = page.getByRole("table").or(page.getByText(/^(Make the window wider|These letters are no longer)/))
      await expect(shown.first()).toBeVisible()
    }
    const check = async () => {
      const { seen, faults, sent, pressed } = await readWitness(page)
      expect(faults).toEqual([])
      for (const { id, version } of sent) {
        decided++
        const index = ids.indexOf(id)
        const own = ["to", "subject", "body"].map((part) => `row ${mark(version, index, part)}`)
        const ofLetter = [...Array.from({ length: lines }, (_, line) => line), "risk", "policy"]
        const needed = [...own, ...ofLetter.map((part) => `letter ${shared(part)}`)]
        expect(
          needed.filter((each) => !seen.includes(each)),
          `unseen of row ${index}, version ${version}`,
        ).toEqual([])
        expect(pressed?.dialogSeen, "seen in the dialog").toContain(`dialog ${mark(version, index, "to")}`)
        expect(pressed?.saidMs, "the dialog has just changed").toBeGreaterThan(CALM_MS)
        expect(pressed?.seenMs, "the list has just been seen to its end").toBeGreaterThan(CALM_MS)
      }
    }
    const perform = async (each: Step): Promise<void> => {
      switch (each.do) {
        case "press":
          return page.keyboard.press(each.key)
        case "scroll":
          return page.mouse.wheel(0, each.by)
        case "resize":
          return page.setViewportSize(each)
        case "settle":
          return expect.poll(() => isSettled(page)).toBe(true)
        case "read":
          if ((await page.getByRole("dialog").count()) > 0) return readToTheEndOf(page, "dialog[open]")
          return (await page.getByRole("table").count()) > 0 ? readTogether(page) : undefined
        case "freeze":
          return freeze()
        case "insist":
          return page.evaluate(async () => {
            for (let frame = 0; frame < 60; frame++) {
              Reflect.get(globalThis, "confirmNow")()
              await new Promise((resolve) => requestAnimationFrame(resolve))
            }
          })
        case "reopen":
          await check()
          await page.reload()
          return opened()
        case "revise": {
          const index = each.row % rows
          const id = ids[index] ?? ""
          const version = (versions[index] = (versions[index] ?? 1) + 1)
          revise(desk, "approval", id, partsOf(version, index, lines))
          if ((await page.getByRole("table").count()) === 0) return undefined
          const named = new RegExp(`mark\\d+r${index}to`)
          const said = page.getByRole("table").getByRole("row", { name: named }).getByRole("cell").last()
          if ((await said.count()) === 0) return undefined
          await expect(said).toContainText(/Version \d+ has come|Approved|Declined|No longer|elsewhere|changed after/)
          return undefined
        }
        case "choose":
        case "choose all":
        case "read on": {
          const named = {
            choose: `mark\\d+r${"row" in each ? each.row % rows : 0}to`,
            "choose all": "Choose all",
            "read on": "Read to the end",
          }
          return page.evaluate((name) => {
            // Behind an open dialog nothing can be pressed.
            const root = document.querySelector("dialog[open]") ?? document
            const found = [...root.querySelectorAll<HTMLElement>("button, input[type=checkbox]")].find(
              (one) =>
                one.checkVisibility({ visibilityProperty: true }) &&
                new RegExp(`^(Choose )?${name}`).test(one.textContent || (one.ariaLabel ?? "")),
            )
            found?.click()
          }, named[each.do])
        }
      }
    }
    // Only the rows near the window are in the list.
    await page.setViewportSize({ width: 1280, height: 2_000 })
    await page.goto("/approvals")
    const link = page.getByRole("button", { name: new RegExp(`^Read together Letter ${count}\\.`) })
    // The list may come to know the letters one after the other.
    await expect(page.getByRole("link", { name: new RegExp(`^Letter ${count}\\..*${rows} alike`) })).toHaveCount(rows)
    // The window has this case's size from the beginning, because a narrow one doesn't offer the card.
    await page.setViewportSize({ width: Math.max(tried.width, 640), height: tried.height })
    await link.click()
    await opened()
    await page.setViewportSize(tried)
    for (const each of [...steps, { do: "settle" } as const]) await perform(each)
    await check()
    await page.keyboard.press("Escape")
    for (const id of ids) remove(desk, "approval", id)
  })
  console.log(`${decided} letters were decided in ${count} groups`)
  expect(decided).toBeGreaterThan(0)
})
