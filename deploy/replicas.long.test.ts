import { spawnSync } from "node:child_process"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { join } from "node:path"
import { setTimeout as delay } from "node:timers/promises"
import type { RecordPage } from "../src/contract/desk-work.ts"
import type { Work, WorkList } from "../src/contract/resources.ts"
import { type Desks, startDesks } from "./testing/desks.ts"
import { PersonClient } from "./testing/person.ts"
import { findMissing } from "./testing/programs.ts"

const ROOT = join(import.meta.dirname, "..")
const VIEWERS = 20

/** The pause before a failed mutation is sent again, in milliseconds. */
const AGAIN_MS = 20

const newWork = (title: string, objective = "rate=0.01") => ({ colleague_id: "metronome", title, objective })
const isIncreasing = (ids: readonly string[]) =>
  ids.every((id, index) => index === 0 || BigInt(id) === BigInt(ids[index - 1] ?? 0) + 1n)

const missing = findMissing({ nginx: "nginx-light", haproxy: "haproxy", openssl: "openssl" })

describe.skipIf(missing.length > 0).each([
  { program: "nginx", roundRobin: false, mostStreams: 1 },
  { program: "haproxy", roundRobin: false, mostStreams: 1 },
  // Each desk has a stream of its own, and one more while a viewer catches up.
  { program: "nginx", roundRobin: true, mostStreams: 4 },
] as const)("two desks behind $program, by turns: $roundRobin", ({ program, roundRobin, mostStreams }) => {
  let desks: Desks
  const people: PersonClient[] = []
  const person = async (subject: string, at: { beginAt?: string; finishAt?: string } = {}) => {
    const client = new PersonClient(desks.balancer.url, desks.balancer.certificate)
    people.push(client)
    await client.signIn(subject, at)
    return client
  }
  beforeAll(async () => {
    desks = await startDesks({ program, roundRobin })
  }, 60_000)
  afterAll(async () => {
    await Promise.all(people.map((client) => client.close()))
    await desks.stop()
  })

  it("redirects plain http to https", async () => {
    const answer = await fetch(`${desks.balancer.plainUrl}/work`, { redirect: "manual" })
    expect(answer.status).toBe(308)
    expect(answer.headers.get("location")).toMatch(/^https:/)
  })

  it("a sign-in begun at one desk ends at the other, and a sign-out ends the session at both", async () => {
    const [first, second] = desks.addresses
    const ada = await person("ada", { beginAt: first, finishAt: second })
    for (const at of desks.addresses) expect((await ada.ask("/api/v1/work", { at })).status).toBe(200)
    expect((await ada.ask("/desk/sign-out", { method: "POST", at: first })).status).toBe(200)
    expect((await ada.ask("/api/v1/work", { at: first })).status).toBe(401)
    await expect.poll(async () => (await ada.ask("/api/v1/work", { at: second })).status, { timeout: 5_000 }).toBe(401)
  })

  it(`${VIEWERS} viewers of a Work get each event once and in order`, async () => {
    const ben = await person("ben")
    const { text } = await ben.mutate("/api/v1/work", newWork("Viewed", "rate=20"))
    const { id } = JSON.parse(text) as Work
    const open = () => desks.relay.passed.filter(({ path }) => path.includes(`${id}/events`)).length
    const enough = (ids: readonly string[]) => ids.length >= 60
    const read = await Promise.all(Array.from({ length: VIEWERS }, () => ben.follow(id, enough)))
    for (const ids of read) {
      expect(ids[0]).toBe("1")
      expect(isIncreasing(ids)).toBe(true)
    }
    expect(open()).toBeLessThanOrEqual(mostStreams)
  })

  it.skipIf(roundRobin)("one watcher runs, because all requests to the watcher reach one desk", async () => {
    const ben = await person("ben")
    expect((await ben.mutate("/api/v1/work", newWork("Watched"))).status).toBe(201)
    for (let count = 0; count < 8; count++) {
      for (const path of ["/desk/waiting?limit=20", "/desk/overview", "/desk/work"]) {
        expect((await ben.ask(path)).status, path).toBe(200)
      }
      expect((await ben.ask("/desk/people?work=none&item=none")).status).toBe(404)
    }
    const openWorks = await Promise.all(
      desks.metrics.map(async (address) => {
        const [, count] = /^workdesk_watcher_open_works (\d+)$/m.exec(await (await fetch(address)).text()) ?? []
        return Number(count)
      }),
    )
    expect(openWorks.filter((count) => count > 0)).toHaveLength(1)
  })

  it("a read after a mutation is fresh, whichever desk answers", async () => {
    const ben = await person("ben")
    for (let count = 0; count < 30; count++) {
      const { status } = await ben.mutate("/api/v1/work", newWork(`Fresh ${count}`))
      expect(status).toBe(201)
      const list = await ben.json<WorkList>("/api/v1/work?limit=1", { headers: { "cache-control": "no-cache" } })
      expect(list.data[0]?.title).toBe(`Fresh ${count}`)
    }
  })
})

describe.skipIf(missing.length > 0)("under load", () => {
  let desks: Desks
  let ben: PersonClient
  beforeAll(async () => {
    desks = await startDesks({ program: "nginx" })
    ben = new PersonClient(desks.balancer.url, desks.balancer.certificate)
    await ben.signIn("ben")
  }, 60_000)
  afterAll(async () => {
    await ben.close()
    await desks.stop()
  })

  /**
   * Creates Work and touches the session without a pause while `meanwhile` runs. A creation that fails is sent again under the same key, for
   * a minute at most. Returns the failures and the titles of all Work.
   */
  async function load(name: string, meanwhile: () => Promise<void>) {
    const failures: string[] = []
    const titles: string[] = []
    const over = new AbortController()
    const worker = async (number: number) => {
      for (let count = 0; !over.signal.aborted; count++) {
        const title = `${name} ${number}.${count}`
        titles.push(title)
        const key = crypto.randomUUID()
        const deadline = performance.now() + 60_000
        for (;;) {
          const answer = await ben
            .mutate("/api/v1/work", newWork(title), key)
            .catch((error: unknown) => ({ status: 0, text: String(error) }))
          if (answer.status === 201 || answer.status === 200) break
          const failure = `${answer.status} ${answer.text.slice(0, 200)}`
          if (performance.now() > deadline) throw new Error(`The request failed for a minute: ${failure}`)
          failures.push(failure)
          await delay(AGAIN_MS)
        }
      }
    }
    const touching = async () => {
      while (!over.signal.aborted) {
        const { status, text } = await ben.ask("/desk/session/touch", { method: "POST" })
        if (status !== 200) failures.push(`${status} touch: ${text.slice(0, 200)}`)
      }
    }
    const workers = Promise.all([...[0, 1, 2, 3].map(worker), touching(), touching()])
    await meanwhile().finally(() => over.abort())
    await workers
    return { failures, titles }
  }

  async function allTitles(): Promise<string[]> {
    const titles: string[] = []
    let cursor: string | undefined
    do {
      const list = await ben.json<WorkList>(`/api/v1/work?limit=100${cursor === undefined ? "" : `&cursor=${cursor}`}`)
      titles.push(...list.data.map(({ title }) => title))
      cursor = list.next_cursor
    } while (cursor !== undefined)
    return titles
  }

  async function expectNothingLost(name: string, titles: readonly string[]): Promise<void> {
    // A person sees new private Work when its outcome row is stored, which is tried again after the store was away.
    const made = async () => (await allTitles()).filter((title) => title.startsWith(`${name} `)).toSorted()
    await expect.poll(made).toEqual(titles.toSorted())
    const verified = spawnSync(process.execPath, ["src/commands/record.ts", "verify"], {
      cwd: ROOT,
      encoding: "utf8",
      env: { PATH: process.env["PATH"], DESK_DATABASE_URL: desks.databaseUrl },
    })
    expect(verified.status, verified.stdout + verified.stderr).toBe(0)
    // Every mutation that reached the upstream has an intent row and an outcome row.
    const keys = new Set(desks.relay.mutations().map(({ key }) => key))
    const rows = async () => Number((await ben.json<RecordPage>("/desk/record?limit=1")).chain?.rows)
    await expect.poll(rows).toBeGreaterThanOrEqual(keys.size * 2)
  }

  const ready = (index: 0 | 1) =>
    fetch(`${desks.addresses[index]}/desk/ready`).then(
      ({ status }) => status,
      () => 0,
    )

  it("a rolling restart cuts off no request", async () => {
    const { failures, titles } = await load("Rolling", async () => {
      for (const index of [0, 1] as const) {
        await desks.programs[index].stop("SIGTERM")
        expect(desks.programs[index].process.exitCode).toBe(0)
        await desks.restart(index)
        await expect.poll(() => ready(index)).toBe(200)
      }
    })
    expect(failures).toEqual([])
    await expectNothingLost("Rolling", titles)
    console.log(`rolling restart: ${titles.length} mutations, none failed`)
  }, 120_000)

  it("the death of a desk loses and doubles nothing", async () => {
    const { failures, titles } = await load("Killed", async () => {
      for (const index of [0, 1, 0, 1] as const) {
        await desks.programs[index].stop("SIGKILL")
        await desks.restart(index)
      }
    })
    await expectNothingLost("Killed", titles)
    console.log(`4 desks killed: ${titles.length} mutations, ${failures.length} answers were asked for again`)
  }, 120_000)

  it("the death of PostgreSQL is a 503 that heals, and readiness stays", async () => {
    const { failures, titles } = await load("Database", async () => {
      await desks.postgres.kill()
      // A desk remembers a session for some seconds.
      const answer = async () => (await ben.ask("/api/v1/work")).text
      await expect.poll(answer).toContain("PROXY_STORE_UNAVAILABLE")
      expect(await ready(0)).toBe(200)
      await desks.postgres.restart()
      await expect.poll(async () => (await ben.ask("/api/v1/work")).status).toBe(200)
    })
    expect(failures.filter((failure) => !failure.startsWith("503"))).toEqual([])
    await expectNothingLost("Database", titles)
    console.log(`PostgreSQL killed: ${titles.length} mutations, ${failures.length} answers were asked for again`)
  }, 120_000)
})
