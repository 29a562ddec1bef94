import { expect, test } from "vitest"
import { applyChange } from "../contract/waiting-change.ts"
import { type FakeWork, fakeApproval, fakeClarification, fakeWork } from "./watcher/testing/simulation.ts"
import { send } from "./testing/desk.ts"
import { OF_EVERYBODY, startDesk } from "./testing/shared-inbox.ts"
import type { PersonHeaders } from "./testing/sign-in.ts"

const RULES = [
  { destination: "*@bank.example", approvalsNeeded: 2 },
  { destination: "own@bank.example", preventSelfApproval: true },
  { destination: "chief@bank.example", approvers: ["group:chiefs"] },
]
const ROLES = { reader: ["anyone"], approver: ["group:finance", "group:chiefs"], answerer: ["group:ops"] }

const letter = (work: string, id: string, destination: string) =>
  fakeWork(work, 1, { approvals: [fakeApproval(id, { work_id: work, destination })], json: OF_EVERYBODY })

const question = fakeWork("asks", 1, {
  status: "needs_you",
  clarificationId: "q",
  clarifications: [fakeClarification("q", { work_id: "asks" })],
  json: OF_EVERYBODY,
})

const WORKS = [
  question,
  letter("plain", "plain-letter", "a@example.com"),
  letter("bank", "bank-letter", "own@bank.example"),
  letter("chief", "chief-letter", "chief@bank.example"),
]

/** A desk with one question and three letters: to anybody, to the bank, and one that only a chief may approve. */
async function startInbox(
  prepare: (desk: Awaited<ReturnType<typeof startDesk>>) => Promise<unknown> = async () => undefined,
  works: readonly FakeWork[] = WORKS,
) {
  const desk = await startDesk(works, { rules: RULES, roles: ROLES })
  // The watcher begins with the first request for what waits.
  await prepare(desk)
  await expect.poll(async () => (await desk.waiting(desk.ada)).complete).toBe(true)
  const read = async (who: PersonHeaders) => JSON.parse((await desk.ask(who, "GET", "/desk/waiting")).text)
  /** The ids of the items that need the person, after a check that the counts say the same. */
  const needed = async (who: PersonHeaders): Promise<readonly string[]> => {
    const answer = await read(who)
    const marked = (list: readonly { needs_you?: true; item: { id: string } }[]) =>
      list.filter(({ needs_you: isNeeded }) => isNeeded === true).map(({ item }) => item.id)
    const [questions, letters] = [marked(answer.attention), marked(answer.approvals)]
    expect(answer.needs_you).toEqual({ attention: questions.length, approvals: letters.length })
    return [...questions, ...letters].sort()
  }
  const approve = (who: PersonHeaders, work: string, id: string) =>
    send(desk.url, `/api/v1/work/${work}/approvals/${id}/resolve`, {
      method: "POST",
      headers: {
        ...who,
        "Idempotency-Key": `${who["Desk-Person"]}-${id}`,
        "If-Match": '"1"',
        "Content-Type": "application/json",
      },
      body: JSON.stringify({ decision: "approve" }),
    })
  return { ...desk, needed, approve, read }
}

test("an item needs those who may answer or approve it, and nobody else", async () => {
  const { needed, signIn, ada } = await startInbox()
  expect(await needed(ada)).toEqual(["bank-letter", "plain-letter"])
  expect(await needed(await signIn("Chief", ["chiefs"]))).toEqual(["bank-letter", "chief-letter", "plain-letter"])
  expect(await needed(await signIn("Olga", ["ops"]))).toEqual(["q"])
  expect(await needed(await signIn("Rita", []))).toEqual([])
})

test("an item that is too large to read here needs nobody", async () => {
  const { needed, read, ada } = await startInbox(
    async () => undefined,
    [
      fakeWork("huge", 1, {
        approvals: [fakeApproval("huge-letter", { work_id: "huge", body: "x".repeat(1_048_577) })],
        json: OF_EVERYBODY,
      }),
    ],
  )
  expect((await read(ada)).approvals).toMatchObject([{ item: { id: "huge-letter", too_large: true } }])
  expect(await needed(ada)).toEqual([])
})

test("the creator whom a rule bars from approving is not needed", async () => {
  const { needed, ada, ben } = await startInbox(({ database, ada: creator }) =>
    database.write(
      "INSERT INTO work_person (work_id, person_id, deed, teams) VALUES ('bank', ?, 'creator', NULL)",
      creator["Desk-Person"],
    ),
  )
  expect(await needed(ada)).toEqual(["plain-letter"])
  expect(await needed(ben)).toEqual(["bank-letter", "plain-letter"])
})

test("who has approved or set an item aside is not needed, and one who is handed an item still is", async () => {
  const { needed, approve, ask, ada, ben } = await startInbox()
  expect((await approve(ada, "bank", "bank-letter")).status).toBe(202)
  await expect.poll(() => needed(ada)).toEqual(["plain-letter"])
  expect(await needed(ben)).toEqual(["bank-letter", "plain-letter"])
  const until = new Date(Date.now() + 3_600_000).toISOString()
  expect(
    (await ask(ada, "PUT", "/desk/aside", { work: "plain", item: "plain-letter", version: "1", until })).status,
  ).toBe(200)
  await expect.poll(() => needed(ada)).toEqual([])
  const to = { person: ada["Desk-Person"] }
  expect(
    (await ask(ben, "PUT", "/desk/assignment", { work: "plain", item: "plain-letter", to }, '"none"')).status,
  ).toBe(200)
  await expect.poll(() => needed(ada)).toEqual(["plain-letter"])
  expect(await needed(ben)).toEqual(["bank-letter", "plain-letter"])
})

test("a change of who is needed wakes the people concerned, and the change carries the new counts", async () => {
  const { approve, read, ask, ada, needed } = await startInbox()
  const before = await read(ada)
  const { headers } = await ask(ada, "GET", "/desk/waiting")
  const held = ask(ada, "GET", `/desk/waiting?since=${encodeURIComponent(String(headers["etag"]))}&wait=25`)
  await approve(ada, "bank", "bank-letter")
  const change = JSON.parse((await held).text)
  expect(change).toMatchObject({ needs_you: { attention: 0, approvals: 1 } })
  const after = applyChange(before, change)
  expect(after.approvals.filter((entry) => entry.needs_you).map(({ item }) => item.id)).toEqual(["plain-letter"])
  expect(await needed(ada)).toEqual(["plain-letter"])
})
