/** Requests that change something, while one call to the store or the service fails: first the first call, then the second, up to the last. */
import { randomUUID } from "node:crypto"
import { expect } from "vitest"
import { isProblem } from "../../contract/problem.ts"
import { keyHashOf } from "../record/gate/mutation.ts"
import { readIntent, readOutcomeRow } from "../record/record-rows.ts"
import type { Row } from "../store/database.ts"
import { faultsOfRun } from "./audit.ts"
import type { Reply } from "./desk.ts"
import type { Fault, FaultyCall, FaultyDesk } from "./faulty-desk.ts"
import type { PersonHeaders } from "./sign-in.ts"
import { type Change, entriesOf, request, type Tried } from "./tried-changes.ts"

const CALLS_MAX = 60

/** Tries a change while the first call fails, then the second, and so on, until a run has no such call. @returns how many calls failed */
export async function failEachCall(desk: FaultyDesk, change: Change, fault: Fault): Promise<number> {
  for (let call = 1; call <= CALLS_MAX; call++) {
    if (!(await failOneCall(desk, change, { ...fault, call }))) return call - 1
  }
  throw new Error("the calls do not end")
}

/** Tries a change while one call fails. @returns whether the call was made */
export async function failOneCall(desk: FaultyDesk, change: Change, fault: FaultyCall): Promise<boolean> {
  const person = await desk.signIn(`Person ${randomUUID()}`, ["all"])
  const tried = await change(desk, person)
  const key = randomUUID()
  const where = `${tried.method} ${tried.path}, ${fault.how} at call ${fault.call} of the ${fault.of}`
  await desk.front.arm(fault)
  desk.faulty.arm(fault)
  const reply = await request(desk, person, tried, key)
  const isMet = fault.of === "store" ? desk.faulty.control.isMet : desk.front.control.isMet
  desk.faulty.arm(undefined)
  await desk.front.disarm()
  checkAnswer(reply, where)
  await checkState(desk, person, tried, key, reply, where)
  if (fault.of === "store" && tried.isDone === undefined) await checkUnsent(desk, key, where)

  const again = await request(desk, person, tried, key)
  const allowed = tried.again ?? [200, 201, 202, 204]
  expect(allowed, `${where}, sent again: ${again.text}`).toContain(again.status)
  await checkState(desk, person, tried, key, again, `${where}, sent again`)
  if (tried.isDone === undefined) expect(desk.front.heardOf(key).effects, where).toBe(1)
  if (again.headers["idempotent-replayed"] === "true" && tried.operation !== undefined) {
    const { operation } = tried
    const unknown = async () =>
      (await entriesOf(desk, person, operation)).filter(({ outcome }) => outcome === "unknown")
    await expect.poll(unknown, { message: `${where}: the replay settles what was unknown` }).toEqual([])
  }
  return isMet
}

/** The codes of an answer that is no success: each says what failed, and can be tried again. */
const CODES = [
  ["PROXY_STORE_UNAVAILABLE", "PROXY_RECORD_UNAVAILABLE", "PROXY_UPSTREAM_UNREACHABLE", "PROXY_UPSTREAM_TIMEOUT"],
  ["PROXY_UPSTREAM_INVALID", "AWAY"],
].flat()

function checkAnswer({ status, text }: Reply, where: string): void {
  if (status < 300) return
  const problem: unknown = JSON.parse(text)
  if (!isProblem(problem)) throw new Error(`${where}: ${text}`)
  expect(CODES, `${where}: ${text}`).toContain(problem.code)
  expect(problem.retryable, `${where}: ${text}`).toBe(true)
}

/** Checks that record, service and answer agree, at once or as soon as the desk has tried again. */
async function checkState(
  desk: FaultyDesk,
  person: PersonHeaders,
  tried: Tried,
  key: string,
  reply: Reply,
  where: string,
): Promise<void> {
  const { operation, isDone } = tried
  const isAnswered = reply.status < 300
  if (isDone !== undefined) {
    if (isAnswered) await expect.poll(isDone, { message: `${where}: what is answered is done` }).toBe(true)
    const isRecorded = async () => operation !== undefined && (await entriesOf(desk, person, operation)).length > 0
    const isStored = tried.isStored ?? (operation === undefined ? isDone : isRecorded)
    const agree = async () => (await isStored()) === (await isDone())
    return await expect.poll(agree, { message: `${where}: the desk shows what is stored and recorded` }).toBe(true)
  }
  const { requests, effects } = desk.front.heardOf(key)
  expect(effects, `${where}: at most one effect`).toBeLessThanOrEqual(1)
  if (isAnswered) expect(effects, `${where}: what is answered is done`).toBe(1)
  if (operation === undefined) return
  const outcomes = async () => (await entriesOf(desk, person, operation)).map(({ outcome }) => outcome)
  const known = isAnswered ? ["recorded"] : ["recorded", "unknown"]
  const isKnown = async () => (await outcomes()).some((outcome) => known.includes(outcome))
  if (effects === 1) await expect.poll(isKnown, { message: `${where}: what the service has is recorded` }).toBe(true)
  else expect(await outcomes(), where).not.toContain("recorded")
  if (requests === 0) expect(await outcomes(), where).not.toContain("refused")
}

/** Checks that the record says of a request that never left that it was not sent. */
async function checkUnsent({ front, plain }: FaultyDesk, key: string, where: string): Promise<void> {
  if (front.heardOf(key).requests > 0) return
  const sentFor = async () => {
    const rows = await plain.read("SELECT sequence, intent, entry FROM record")
    const intents = rows.filter(
      ({ entry = null }) => readIntent(entry)?.key_hash === keyHashOf({ idempotencyKey: key }),
    )
    const isUnsent = (row: Row) =>
      rows.some(({ intent, entry }) => intent === row["sequence"] && readOutcomeRow(entry)?.unsent === true)
    return intents.filter((row) => !isUnsent(row)).length
  }
  await expect.poll(sentFor, { message: `${where}: what never left is not unknown` }).toBe(0)
}

/** Checks that record, tables and service agree, and that no connection is still in use. */
export async function checkAfterwards(desk: FaultyDesk): Promise<void> {
  expect(await faultsOfRun(desk.plain, desk.front.effects)).toEqual([])
  const connections = () => desk.plain.connections?.() ?? { inUse: 0, waiting: 0 }
  await expect.poll(connections).toEqual({ inUse: 0, waiting: 0 })
}
