import { randomUUID } from "node:crypto"
import { once } from "node:events"
import { writeFile } from "node:fs/promises"
import { connect } from "node:net"
import { join } from "node:path"
import { beforeEach, describe, expect, onTestFinished, test } from "vitest"
import { DecidingUpstream } from "../../../e2e/deciding-upstream.ts"
import { openSignedInDesk, SignedInPerson } from "../../../e2e/signed-in-desk.ts"
import { HostileProvider } from "../people/testing/hostile-provider.ts"
import { PostgresServer } from "../store/testing/postgres.ts"
import { folderForTest } from "../store/testing/stores.ts"

// Each attack begins at one desk and goes on at another that shares the store.

const BANK = "*@bank.example"
const ACCESS = {
  roles: { reader: ["anyone"], delegator: ["group:ops"], approver: ["group:finance"] },
  rules: [{ destination: BANK, preventSelfApproval: true }],
}

let provider: HostileProvider
let upstream: DecidingUpstream
let folder: string
let server: PostgresServer

beforeEach(async () => {
  provider = await HostileProvider.start()
  upstream = await DecidingUpstream.start()
  folder = await folderForTest()
  server = await PostgresServer.start()
  return async () => {
    upstream.stop()
    await server.stop()
  }
})

async function openDesks(access: object = ACCESS): Promise<readonly [string, string]> {
  const environment = { DESK_DATABASE_URL: await server.newDatabase() }
  const open = async () => {
    const desk = await openSignedInDesk({ provider, upstreamUrl: upstream.url, folder, access, environment })
    onTestFinished(() => desk.stop())
    return desk.url
  }
  return [await open(), await open()]
}

function signIn(base: string, name: string, groups: readonly string[]): Promise<SignedInPerson> {
  provider.claims = { sub: name.toLowerCase(), name, groups, auth_time: Math.floor(Date.now() / 1_000) }
  return SignedInPerson.signIn(base)
}

const allow = (access: object) => writeFile(join(folder, "access.json"), JSON.stringify(access))

describe("at two desks", () => {
  test("no spelling of a destination or of a Work's id takes an approval out of a rule", async () => {
    const desks = await openDesks()
    const ben = await signIn(desks[0], "Ben", ["ops", "finance"])
    expect((await ben.post(desks[0], "/api/v1/work", { colleague_id: "a", objective: "x", title: "w1" })).status).toBe(
      201,
    )
    for (const destination of ["Pay <a@bank.example>", "a@bank.example.", "x@y.example, a@BANK.example"]) {
      upstream.destination = destination
      for (const desk of desks) {
        expect(await ben.decide(desk, "w1", randomUUID()), destination).toMatchObject({ status: 403 })
      }
    }
    for (const desk of desks) {
      const target = "/api/v1/work/W1/approvals/approval-w1/resolve"
      const answer = await ben.post(desk, target, { decision: "approve" }, { ifMatch: '"1"' })
      expect(answer).toMatchObject({ status: 404, body: { code: "PROXY_NOT_FOUND" } })
    }
    expect(upstream.heard).toEqual([])
  })

  test("an approve whose answer was lost takes no effect after the right was lost", async () => {
    const [one, other] = await openDesks()
    const ada = await signIn(one, "Ada", ["finance"])
    const key = randomUUID()
    upstream.next = { status: 503, code: "AWAY" }
    expect(await ada.decide(one, "w1", key)).toMatchObject({ status: 503 })
    await allow({ ...ACCESS, rules: [{ destination: BANK, approvers: ["group:cfo"] }] })
    await expect.poll(async () => (await ada.decide(other, "w2", randomUUID())).status, { timeout: 12_000 }).toBe(403)
    expect(await ada.decide(other, "w1", key)).toMatchObject({ status: 403, body: { code: "PROXY_RULE" } })
    expect([...upstream.effects.values()].filter((content) => content.includes("w1"))).toEqual([])
  })

  test("a body that ends after a sign-out at the other desk approves nothing", async () => {
    const [one, other] = await openDesks()
    const ada = await signIn(one, "Ada", ["finance"])
    const body = '{"decision":"approve"}'
    const headers = {
      ...ada.headers,
      host: "127.0.0.1",
      connection: "close",
      "content-type": "application/json",
      "content-length": String(body.length),
      "idempotency-key": randomUUID(),
      "if-match": '"1"',
    }
    const socket = connect(Number(new URL(one).port), "127.0.0.1")
    await once(socket, "connect")
    let received = ""
    socket.on("data", (chunk) => (received += chunk.toString("latin1")))
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
    socket.write(
      `POST /api/v1/work/w1/approvals/approval-w1/resolve HTTP/1.1\r\n${lines.join("")}\r\n${body.slice(0, 5)}`,
    )
    expect((await ada.post(other, "/desk/sign-out", undefined)).status).toBe(200)
    await expect.poll(async () => (await ada.get(one, "/desk/record")).status, { timeout: 5_000 }).toBe(401)
    socket.write(body.slice(5))
    await once(socket, "close")
    expect(received).toMatch(/^HTTP\/1\.1 401 /)
    expect(upstream.heard).toEqual([])
  })

  test("a sign-in that begins at one and ends at the other ends the browser's older session at both", async () => {
    const [one, other] = await openDesks()
    const ada = await signIn(one, "Ada", ["finance"])
    expect((await ada.get(other, "/desk/record")).status).toBe(200)
    provider.claims = { sub: "ben", name: "Ben", groups: ["finance"] }
    const ben = await SignedInPerson.signIn(one, ada.headers.cookie, other)
    expect((await ben.get(one, "/desk/record")).status).toBe(200)
    for (const desk of [one, other]) {
      await expect.poll(async () => (await ada.get(desk, "/desk/record")).status, { timeout: 5_000 }).toBe(401)
    }
  })

  test("two last approves at the same moment are one decision", async () => {
    const rules = [{ destination: BANK, approvalsNeeded: 3 }]
    const [one, other] = await openDesks({ ...ACCESS, rules })
    const people: SignedInPerson[] = []
    for (const name of ["Ada", "Ben", "Cleo", "Dana"]) people.push(await signIn(one, name, ["finance"]))
    for (let round = 0; round < 20; round++) {
      const answers = await Promise.all(
        people.map((person, index) => person.decide(index % 2 === 0 ? one : other, `w${round}`, randomUUID())),
      )
      const statuses = answers.map(({ status }) => status).toSorted((one, other) => one - other)
      expect(statuses).toEqual([200, 202, 202, 412])
      expect([...upstream.effects.values()].filter((content) => content.includes(`"w${round}"`))).toHaveLength(1)
    }
    expect(upstream.heard).toHaveLength(20)
  })
})
