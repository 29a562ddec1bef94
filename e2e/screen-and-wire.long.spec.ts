import type { Page } from "@playwright/test"
import { expect, test } from "./fixtures.ts"
import { readToTheEnd, createQuietWork } from "./inbox-verbs.ts"
import type { Relay } from "./relay.ts"
import { addApproval } from "./revise.ts"
import type { Desk } from "./start-desk.ts"

/** A generator of our own, so that a failure can be looked at again: mulberry32. */
function randomFrom(seed: number) {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

const PIECES = [
  "Dear Ms Oyelaran,",
  "sales@halden.example",
  "s\u0430les@h\u0430lden.example",
  "\u202etxt.exe",
  "\u200bzero\u200bwidth",
  "soft\u00adhyphen",
  "\u2066isolate\u2069",
  "👩\u200d👩\u200d👧 family",
  "é and é",
  "עברית",
  "日本語ファイル",
  "<img src=x onerror=alert(1)>",
  "<script>alert(1)</script>",
  "javascript:alert(1)",
  "https://example.org/?a=1&b=2",
  "**bold** [link](javascript:0)",
  "1,840.00",
  "  two  spaces  ",
  "&amp; &lt;",
  "tag\u{e0041}",
  "BEL\u0007 bell",
]

/** Controls, formats and tags, as ranges of code points. Written for this test alone. */
const HIDDEN = [
  [0x00, 0x08],
  [0x0b, 0x1f],
  [0xad, 0xad],
  [0x200b, 0x200f],
  [0x202a, 0x202e],
  [0x2060, 0x2069],
  [0xe0000, 0xe007f],
] as const
const FAMILY = "\u{1f469}\u200d\u{1f469}\u200d\u{1f467}"

/** What a person can read of a text: every character that cannot be seen, by its code point. */
function visible(text: string): string {
  const show = (character: string) => {
    const point = character.codePointAt(0) ?? 0
    const isHidden = HIDDEN.some(([from, to]) => from <= point && point <= to)
    return isHidden ? `U+${point.toString(16).toUpperCase().padStart(4, "0")}` : character
  }
  return text
    .split(FAMILY)
    .map((part) => Array.from(part, show).join(""))
    .join(FAMILY)
}

const unspaced = (text: string) => text.replaceAll(/\s+/g, "")

/** Decides `count` random approvals and compares, for each, the text on the screen, the request on the wire and the record. */
async function decideRandomApprovals(
  count: number,
  { page, desk, relay }: { page: Page; desk: Desk; relay: Relay },
): Promise<void> {
  const random = randomFrom(20_261_120)
  const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)] as Item
  const words = (most: number, joint: string) =>
    Array.from({ length: 1 + Math.floor(random() * most) }, () => pick(PIECES)).join(joint)
  const work = await createQuietWork(desk)
  const letters = Array.from({ length: count }, (_, index) => {
    const fields = {
      summary: `${index}: ${words(3, " ")}`,
      destination: words(2, " "),
      subject: words(4, " "),
      body: words(12, "\n"),
      risk: words(2, " "),
      policy_reason: words(3, " "),
      requested_by_colleague: words(1, " "),
      proposed_action_payload_hash: `sha256:${Math.floor(random() * 2 ** 48).toString(16)}`,
      version: BigInt(Math.floor(random() * 2 ** 31)) ** 2n + 1n,
    }
    return { id: addApproval(desk, work.id, fields), fields }
  })
  const { data } = await desk.api.GET("/api/v1/work/{id}/approvals", {
    params: { path: { id: work.id } },
    parseAs: "text",
  })
  expect(data).toContain(String(letters[7]?.fields.version))

  // Each button arms for half a second. The browser's clock is moved instead of waiting.
  await page.clock.install()
  await page.goto("/approvals")
  await expect(page.getByText(/^1 of 1 checked/)).toBeVisible()
  await page.keyboard.press("j")
  for (const { id, fields } of letters) {
    // After a decision the next request is shown.
    const card = page.getByRole("article").last()
    await expect(card).toContainText(`Version${String(fields.version)}`)
    await page.clock.fastForward(600)
    await card.locator("summary", { hasText: /^Details$/ }).click()
    const shown = unspaced(await card.innerText())
    for (const [name, value] of Object.entries(fields))
      if (typeof value === "string") expect(shown, `${id} ${name}`).toContain(unspaced(visible(value)))
    // The region Before you decide has links of our own.
    const made = await card.evaluate(
      (element) =>
        [...element.querySelectorAll("img, script, a")].filter(
          (made) => made.closest("section") === null || !element.contains(made.closest("section")),
        ).length,
    )
    expect(made).toBe(0)

    const decision = pick(["approve", "decline"] as const)
    const comment = random() < 0.3 ? "" : words(4, "\n")
    if (decision === "approve") await readToTheEnd(page)
    await page.getByRole("button", { name: decision === "approve" ? "Approve" : "Decline", exact: true }).click()
    const dialog = page.getByRole("dialog")
    const repeated = unspaced(await dialog.innerText())
    expect(repeated).toContain(unspaced(visible(fields.destination)))
    expect(repeated).toContain(unspaced(visible(fields.subject)))
    await dialog.getByRole("textbox", { name: "Comment" }).fill(comment)
    await page.clock.fastForward(600)
    await dialog.getByRole("button", { name: `Confirm ${decision}` }).click()

    const word = decision === "approve" ? "Approved" : "Declined"
    await page.getByRole("status").filter({ hasText: word }).getByRole("link", { name: "Open" }).click()
    const record = page.getByRole("article").first()
    await expect(record).toContainText(`Version${String(fields.version + 1n)}`)
    const recorded = unspaced(await record.innerText())
    expect(recorded).toContain(word)
    if (comment !== "") expect(recorded).toContain(unspaced(visible(comment)))
    const sent = relay.mutations().at(-1)
    expect(sent?.path).toContain(id)
    expect(sent?.ifMatch).toBe(`"${String(fields.version)}"`)
    expect(JSON.parse(sent?.body ?? "")).toEqual({ decision, ...(comment !== "" && { comment }) })
    expect(sent?.answer).toContain(`"version":${String(fields.version + 1n)}`)
    await page.goBack()
  }
  expect(relay.mutations()).toHaveLength(count)
}

test("200 random approvals: the screen, the wire and the record agree exactly", async ({ page, desk, relay }) => {
  test.setTimeout(900_000)
  await decideRandomApprovals(200, { page, desk, relay })
})
