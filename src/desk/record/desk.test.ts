import { execFileSync, spawnSync } from "node:child_process"
import { randomUUID } from "node:crypto"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { beforeEach, describe, expect, onTestFinished, test } from "vitest"
import { DecidingUpstream } from "../../../e2e/deciding-upstream.ts"
import {
  SignedInPerson,
  type SignedInDeskOptions,
  openSignedInDesk,
  startSignedInDesk,
} from "../../../e2e/signed-in-desk.ts"
import { parseJson } from "../../contract/int64.ts"
import { HostileProvider } from "../people/testing/hostile-provider.ts"
import { folderForTest } from "../store/testing/stores.ts"

// The whole desk over HTTP: the answers to a person, and the requests to the upstream.

let provider: HostileProvider
let upstream: DecidingUpstream
let folder: string

beforeEach(async () => {
  provider = await HostileProvider.start()
  upstream = await DecidingUpstream.start()
  folder = await folderForTest()
  return () => upstream.stop()
})

async function start(more: Partial<SignedInDeskOptions> = {}) {
  const desk = await openSignedInDesk({ provider, upstreamUrl: upstream.url, folder, ...more })
  onTestFinished(() => desk.stop())
  return desk
}

function signIn(base: string, name: string, groups: readonly string[]): Promise<SignedInPerson> {
  provider.claims = { sub: name.toLowerCase(), name, groups, auth_time: Math.floor(Date.now() / 1_000) }
  return SignedInPerson.signIn(base)
}

type Entries = readonly { readonly person: { readonly name: string }; readonly outcome: string }[]

async function entries(person: SignedInPerson, base: string, query = ""): Promise<Entries> {
  const { status, body, text } = await person.get(base, `/desk/record${query}`)
  expect(status, text).toBe(200)
  return (body as { data: Entries }).data
}

describe("a decision", () => {
  test("is sent again after its answer was lost and the person has signed in anew, and by nobody else", async () => {
    const { url } = await start()
    const ada = await signIn(url, "Ada Lovelace", ["finance"])
    const key = randomUUID()
    upstream.next = "lose answer"
    expect(await ada.decide(url, "w1", key)).toMatchObject({ status: 502 })
    expect(await entries(ada, url)).toMatchObject([{ outcome: "unknown", person: { name: "Ada Lovelace" } }])

    const cleo = await signIn(url, "Cleo", ["finance"])
    expect(await cleo.decide(url, "w1", key)).toMatchObject({ status: 409, body: { code: "PROXY_KEY_OF_ANOTHER" } })

    // The letter has changed since. A new decision would be stale, but the replay is not.
    upstream.version = 2
    const again = await signIn(url, "Ada Lovelace", ["finance"])
    const replayed = await again.decide(url, "w1", key)
    expect(replayed).toMatchObject({ status: 200, headers: { "idempotent-replayed": "true" } })
    expect((await entries(ada, url)).map(({ outcome }) => outcome)).toEqual(["recorded", "recorded"])
    expect(upstream.heard).toEqual([key, key])
  })

  test("on content that changes after the desk has read it is refused by the service with 412", async () => {
    const { url } = await start()
    const ada = await signIn(url, "Ada", ["finance"])
    upstream.steps.heard = () => void (upstream.version = 2)
    expect(await ada.decide(url, "w1", randomUUID())).toMatchObject({ status: 412, body: { code: "VERSION_STALE" } })
    expect(await entries(ada, url)).toMatchObject([{ outcome: "refused", status: 412, version: 1n }])
    expect(await ada.decide(url, "w1", randomUUID())).toMatchObject({
      status: 412,
      body: { code: "PROXY_VERSION_STALE" },
    })
    expect(upstream.heard).toHaveLength(1)
  })

  test("that a rule refuses is not heard by the upstream", async () => {
    const rules = [{ destination: "*@BANK.example", approvers: ["group:cfo"] }]
    const { url } = await start({
      access: { roles: { approver: ["group:finance"] }, rules, contact: "the desk" },
    })
    const ada = await signIn(url, "Ada", ["finance"])
    const refused = await ada.decide(url, "w1", randomUUID())
    expect(refused).toMatchObject({ status: 403, body: { code: "PROXY_RULE" } })
    expect(refused.text).toContain("Ask somebody in cfo, or ")
    expect(await ada.decide(url, "w1", randomUUID(), "decline")).toMatchObject({ status: 200 })
    const dana = await signIn(url, "Dana", ["finance", "cfo"])
    expect(await dana.decide(url, "w2", randomUUID())).toMatchObject({ status: 200 })
    expect(upstream.heard).toHaveLength(2)
  })

  test("on Work of one's own is announced as forbidden, then refused, and accepted from somebody else", async () => {
    const { url } = await start()
    const ben = await signIn(url, "Ben Okafor", ["ops", "finance"])
    const created = await ben.post(url, "/api/v1/work", { colleague_id: "analyst", objective: "x", title: "w1" })
    expect(created.status, created.text).toBe(201)
    const detail = expect.stringMatching(/^You created this Work\. Ask somebody else in finance, or /) as string
    const context = "/desk/context?work=w1&approval=approval-w1"
    expect(await ben.get(url, context)).toMatchObject({
      status: 200,
      body: { may: { approve: false, code: "PROXY_RULE", detail } },
    })
    expect(await ben.decide(url, "w1", randomUUID())).toMatchObject({
      status: 403,
      body: { code: "PROXY_RULE", detail },
    })
    const ada = await signIn(url, "Ada Lovelace", ["finance"])
    expect(await ada.get(url, context)).toMatchObject({ body: { may: { approve: true, creator_unknown: false } } })
    expect(await ada.decide(url, "w1", randomUUID())).toMatchObject({ status: 200 })
    expect(await entries(ada, url, "?work=w1")).toMatchObject([
      { person: { name: "Ada Lovelace" }, operation: "resolveWorkApproval", service_actor: "sa_test" },
      { person: { name: "Ben Okafor" }, operation: "createWork", summary: "w1" },
    ])
  })

  test("is not stopped by a client that leaves: its outcome is recorded", async () => {
    const { url } = await start()
    const ada = await signIn(url, "Ada", ["finance"])
    const { promise: isHeard, resolve: heard } = Promise.withResolvers<void>()
    const { promise: left, resolve: leave } = Promise.withResolvers<void>()
    upstream.steps.heard = () => {
      heard()
      return left
    }
    const controller = new AbortController()
    const sent = ada.decideUntil(url, "w1", controller.signal)
    await isHeard
    controller.abort()
    await expect(sent).rejects.toThrow()
    leave()
    await expect.poll(() => entries(ada, url)).toMatchObject([{ outcome: "recorded" }])
  })

  test("leaves no key, token or comment in the record, and JSON Lines have the same entries", async () => {
    const { url } = await start()
    const ada = await signIn(url, "Ada", ["finance"])
    await ada.decide(url, "w1", "canary-key")
    const lines = await ada.get(url, "/desk/record", { accept: "application/jsonl" })
    expect(lines.headers["content-type"]).toContain("application/jsonl")
    expect(lines.text.trimEnd().split("\n").map(parseJson)).toEqual(await entries(ada, url))
    expect(lines.text).not.toMatch(/canary/)
    expect(await ada.get(url, "/desk/record?limit=0")).toMatchObject({ status: 400 })
  })
})

describe("an approval that needs two", () => {
  const access = {
    roles: { reader: ["anyone"], approver: ["group:finance"] },
    rules: [{ destination: "*@bank.example", approvalsNeeded: 2 }],
  }
  const withdraw = (person: SignedInPerson, url: string) => person.delete(url, "/desk/approvals/w1/approval-w1/mine")

  test("is kept, withdrawn, approved by two, and sent once", async () => {
    const { url } = await start({ access })
    const [ada, ben] = [await signIn(url, "Ada", ["finance"]), await signIn(url, "Ben", ["finance"])]
    const key = randomUUID()
    const held = await ada.decide(url, "w1", key)
    const at = expect.any(String) as string
    expect(held).toMatchObject({
      status: 202,
      body: { needed: 2, given: [{ person: { id: ada.id, name: "Ada" }, at }] },
    })
    expect(await ada.decide(url, "w1", key)).toMatchObject({ status: 202, body: held.body })
    expect(upstream.heard).toEqual([])
    expect(await withdraw(ben, url)).toMatchObject({ status: 404, body: { code: "PROXY_NOT_FOUND" } })
    expect(await withdraw(ada, url)).toMatchObject({ status: 204, text: "" })
    expect(await ada.decide(url, "w1", key)).toMatchObject({ status: 409, body: { code: "PROXY_KEY_WITHDRAWN" } })
    expect(await ada.decide(url, "w1", randomUUID())).toMatchObject({ status: 202 })
    expect(await ben.decide(url, "w1", randomUUID())).toMatchObject({ status: 200 })
    expect(upstream.heard).toHaveLength(1)
    expect((await entries(ada, url)).map(({ person, outcome }) => `${person.name} ${outcome}`)).toEqual([
      "Ben recorded",
      "Ada held",
      "Ada recorded",
      "Ada held",
    ])
  })

  test("is not withdrawn after the answer to the last approve was lost and the service has approved", async () => {
    const { url } = await start({ access })
    const [ada, ben] = [await signIn(url, "Ada", ["finance"]), await signIn(url, "Ben", ["finance"])]
    await ada.decide(url, "w1", randomUUID())
    upstream.next = "lose answer"
    expect(await ben.decide(url, "w1", randomUUID())).toMatchObject({ status: 502 })
    expect(await withdraw(ada, url)).toMatchObject({ status: 204 })
    await ada.decide(url, "w1", randomUUID())
    upstream.next = "lose answer"
    expect(await ben.decide(url, "w1", randomUUID())).toMatchObject({ status: 502 })
    upstream.version = 2
    expect(await withdraw(ada, url)).toMatchObject({ status: 412, body: { code: "PROXY_VERSION_STALE" } })
  })

  test("is declined by one", async () => {
    const { url } = await start({ access })
    const [ada, ben] = [await signIn(url, "Ada", ["finance"]), await signIn(url, "Ben", ["finance"])]
    await ada.decide(url, "w1", randomUUID())
    expect(await ben.decide(url, "w1", randomUUID(), "decline")).toMatchObject({ status: 200 })
    expect(await withdraw(ada, url)).toMatchObject({ status: 404 })
  })
})

describe("a store that cannot store a row", () => {
  const lock = () => {
    const other = new DatabaseSync(join(folder, "data", "desk", "desk.db"))
    other.exec("BEGIN EXCLUSIVE")
    return () => {
      other.exec("ROLLBACK")
      other.close()
    }
  }

  test("because it is locked: 503, the upstream hears nothing, and it heals", async () => {
    const { url } = await start()
    const ada = await signIn(url, "Ada", ["finance"])
    const unlock = lock()
    const refused = await ada.decide(url, "w1", randomUUID())
    expect(refused).toMatchObject({ status: 503, body: { code: "PROXY_RECORD_UNAVAILABLE", retryable: true } })
    expect(Number(refused.headers["retry-after"])).toBeGreaterThan(0)
    expect(upstream.heard).toEqual([])
    unlock()
    expect(await ada.decide(url, "w1", randomUUID())).toMatchObject({ status: 200 })
  })

  test("for the outcome only: the answer comes, and the outcome is stored as soon as the store takes it", async () => {
    const { url } = await start()
    const ada = await signIn(url, "Ada", ["finance"])
    let unlock = () => undefined as void
    upstream.steps.done = () => void (unlock = lock())
    const timed = async (workId: string, status: number) => {
      const began = performance.now()
      expect(await ada.decide(url, workId, randomUUID())).toMatchObject({ status })
      return performance.now() - began
    }
    const answered = await timed("w1", 200)
    expect(await entries(ada, url)).toMatchObject([{ outcome: "unknown" }])
    // This one waits for the store.
    expect(answered).toBeLessThan((await timed("w2", 503)) / 2)
    upstream.steps = {}
    unlock()
    await expect.poll(() => entries(ada, url, "?work=w1")).toMatchObject([{ outcome: "recorded", status: 200 }])
  })

  test("at the end of the process too: the outcome is stored before it ends", async () => {
    const desk = await start()
    const ada = await signIn(desk.url, "Ada", ["finance"])
    let unlock = () => undefined as void
    upstream.steps.done = () => void (unlock = lock())
    expect(await ada.decide(desk.url, "w1", randomUUID())).toMatchObject({ status: 200 })
    const stopped = desk.stop()
    unlock()
    await stopped
    const next = await start()
    expect(await entries(ada, next.url)).toMatchObject([{ outcome: "recorded" }])
  })

  const hasLimits = spawnSync("prlimit", ["--version"]).status === 0

  test.skipIf(!hasLimits)("because the disk is full: 503, the upstream hears nothing, and it heals", async () => {
    const desk = await startSignedInDesk({ provider, upstreamUrl: upstream.url, folder })
    onTestFinished(() => desk.stop())
    const { url, process: child } = desk
    const ada = await signIn(url, "Ada", ["finance"])
    expect(await ada.decide(url, "w0", randomUUID())).toMatchObject({ status: 200 })
    const setLimit = (bytes: string) =>
      execFileSync("prlimit", ["--pid", String(child.pid), `--fsize=${bytes}:unlimited`])
    setLimit("4096")
    const heard = upstream.heard.length
    for (let turn = 0; turn < 3; turn++) {
      const refused = await ada.decide(url, `w1-${turn}`, randomUUID())
      expect(refused).toMatchObject({ status: 503, body: { code: "PROXY_RECORD_UNAVAILABLE" } })
    }
    expect(upstream.heard).toHaveLength(heard)
    expect(await entries(ada, url)).toHaveLength(1)
    setLimit("unlimited")
    expect(await ada.decide(url, "w2", randomUUID())).toMatchObject({ status: 200 })
  })
})
