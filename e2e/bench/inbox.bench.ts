/**
 * What it costs a desk to tell people what waits (`npm run bench`): the bytes that each person gets for one item that changes, the bytes a second
 * while one person moves through the list, and the longest turn of the event loop. Both ways run one after the other: with `since`, and everything
 * at each change. The processor time of a turn does not depend on what else the machine does.
 */
import { once } from "node:events"
import { createServer } from "node:http"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import { Worker } from "node:worker_threads"
import * as v from "valibot"
import { gzipOnce } from "../../src/desk/http/routes/watcher-routes.ts"
import { isRefusal } from "../../src/platform/http/refusals.ts"
import { parseAccess } from "../../src/desk/people/access-file.ts"
import { viewerOf } from "../../src/desk/people/visibility.ts"
import { openDatabase } from "../../src/desk/store/open-store.ts"
import { readApprovalList, readOneWork } from "../../src/desk/watcher/read-resources.ts"
import { openInbox } from "../../src/desk/inbox/testing/inbox.ts"
import { fakeApproval, fakeWork, range, workJson } from "../../src/desk/watcher/testing/simulation.ts"

/** People of different teams see different Work. */
const VIEWS = 20
const CHANGES = 10
/** One person moves to the next item so many times, twice a second. */
const MOVES = 20
const BODY_BYTES = 2_000

const access = parseAccess(
  JSON.stringify({
    roles: { reader: ["anyone"], approver: ["anyone"] },
    rules: [{ decideWithin: "24h" }],
    visibility: {
      teams: range(VIEWS).map((team) => ({ name: `T${team}`, members: [`group:g${team}`], colleagues: [`c${team}`] })),
    },
  }),
)
const viewers = range(100).map((person) => {
  const identity = { issuer: "https://login.example", subject: `p${person}`, groups: [`g${person % VIEWS}`] }
  return viewerOf({ id: `p${person}`, identity }, access)
})
/** Text that gzip makes about as small as a letter. */
const words = [
  "invoice",
  "october",
  "please",
  "transfer",
  "account",
  "before",
  "attached",
  "amount",
  "supplier",
  "terms",
]
const letterOf = (seed: number) => {
  let text = ""
  for (let at = seed; text.length < BODY_BYTES; at = (at * 48_271 + 11) % 2_147_483_647) {
    text += `${words[at % words.length]}${at % 7 === 0 ? ` ${at % 100_000}` : ""} `
  }
  return text
}
const figures = v.object({ bytes: v.number(), answers: v.number() })
const folder = await mkdtemp(join(tmpdir(), "workdesk-bench-"))
const database = await openDatabase({ dataFolder: folder, databaseUrl: undefined })

/** The longest turn of the event loop since the last call, in milliseconds of processor time. */
const longestTurn = (() => {
  const used = () => {
    const { user, system } = process.threadCpuUsage()
    return (user + system) / 1_000
  }
  let longest = 0
  let last = used()
  setInterval(() => {
    const now = used()
    longest = Math.max(longest, now - last)
    last = now
  }, 1).unref()
  return () => {
    const found = longest
    longest = 0
    return found
  }
})()

async function measure(items: number, people: number, way: "since" | "whole") {
  const inbox = await openInbox(
    database,
    () => access,
    () => performance.now(),
  )
  const { state, polls, claims } = inbox
  let request = 0
  const read = (index: number, version: number) => {
    const json = { visibility_scope: index % 10 === 0 ? "team" : "organization", colleague_id: `c${index % VIEWS}` }
    state.applyWork(readOneWork(JSON.stringify(workJson(fakeWork(`w${index}`, 0, { version, json })))), ++request, 0)
    const watched = state.works.get(`w${index}`)
    if (watched === undefined) throw new Error("the Work is not watched")
    const more = { work_id: `w${index}`, version, body: letterOf(index * 977 + version) }
    const data = [fakeApproval(`a${index}`, { ...more, created_at: new Date(index * 1_000).toISOString() })]
    state.applyApprovals(watched, readApprovalList(JSON.stringify({ data })), ++request)
    state.endCheck(watched, watched.work.version, 0)
  }
  for (const index of range(items)) read(index, 1)
  state.applyListEnd({ isWhole: true, unwatched: 0, lastRequestBefore: 0 }, 0)
  const look = (person: number, index: number, doing: "reading" | "left") =>
    claims.presence.report({
      personId: `p${person}`,
      name: `P${person}`,
      workId: `w${index}`,
      itemId: `a${index}`,
      tab: "tab",
      doing,
    })
  // Everybody has an item open, so that nobody is shown the same as somebody else.
  for (const person of range(people)) look(person, (person * 7) % items, "reading")

  const server = createServer((asked, response) => {
    const [, query = ""] = (asked.url ?? "").split("?")
    const viewer = viewers[Number(asked.headers["person"])]
    if (viewer === undefined) throw new Error("there is such a person")
    const ifNoneMatch = asked.headers["if-none-match"]
    const leave = polls.add({ query, ifNoneMatch, audience: () => viewer }, (answer) => {
      if (isRefusal(answer)) throw new Error("the desk answers")
      const { status, headers, body } = answer
      response.writeHead(status, headers)
      if (body.length < 4_096) response.end(body)
      else void gzipOnce(body).then((bytes) => response.end(bytes))
    })
    response.on("close", leave)
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const address = server.address()
  const url = `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`
  const worker = new Worker(new URL("inbox-followers.ts", import.meta.url), { workerData: { url, people, way } })
  for (let known = 0; known < people; known++) await once(worker, "message")
  const told = async (message: "told" | "end") => {
    const answer = once(worker, "message")
    worker.postMessage(message)
    return v.parse(figures, (await answer)[0])
  }
  await pause(1_000)
  await told("told")
  longestTurn()

  for (const change of range(CHANGES)) {
    read(1 + change * 2, 2)
    await pause(500)
  }
  const changed = await told("told")
  const changeTurn = longestTurn()
  const began = performance.now()
  for (const move of range(MOVES)) {
    if (move > 0) look(0, move, "left")
    look(0, move + 1, "reading")
    await pause(500)
  }
  const seconds = (performance.now() - began) / 1_000
  const moved = await told("end")
  const moveTurn = longestTurn()
  polls.stop()
  server.close().closeAllConnections()
  inbox.stop()
  return {
    items,
    people,
    way,
    "bytes of a change to each": Math.round(changed.bytes / Math.max(changed.answers, 1)),
    "longest turn, ms": changeTurn.toFixed(1),
    "kB a second to all while one moves": (moved.bytes / seconds / 1_000).toFixed(1),
    "longest turn then, ms": moveTurn.toFixed(1),
    "answers to each then": (moved.answers / people).toFixed(1),
  }
}

const rows = []
for (const items of [50, 500]) {
  for (const people of [1, 100]) {
    for (const way of ["whole", "since"] as const) rows.push(await measure(items, people, way))
  }
}
console.table(rows)
await database.close()
await rm(folder, { recursive: true })
