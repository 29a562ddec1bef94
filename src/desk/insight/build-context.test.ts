import { ownOrigin } from "../../platform/http/request-context.ts"
import { newTrace } from "../../platform/http/trace.ts"
import { answerOf } from "../../platform/http/testing/answer-of.ts"
import { readContextQuery } from "./find-context.ts"
import { describe, expect, it } from "vitest"
import { Directory } from "../people/directory.ts"
import type { RecordedDecision } from "../record/recorded-decisions.ts"
import type { DecisionContext } from "../../contract/desk-work.ts"
import { fakeApproval, fakeWork, type FakeWork } from "../watcher/testing/simulation.ts"
import { DAY, NOW } from "../watcher/testing/watched-works.ts"
import { createFetchReader, startRecordingUpstream } from "../watcher/testing/watcher.ts"
import { DeskQueries } from "./desk-queries.ts"
import { databaseForTest, folderForTest } from "../store/testing/stores.ts"
import { KnownApprovalStore } from "./known-approval-store.ts"

describe("before you decide", () => {
  const letter = (id: string, more: object = {}) =>
    fakeApproval(id, { destination: "payments@halden.example", ...more })
  const decided = (id: string, status: string, day: number) =>
    letter(id, { status, resolved_at: new Date(NOW - day * DAY).toISOString() })

  async function startDesk(works: FakeWork[], decisions: readonly RecordedDecision[] = []) {
    const upstream = await startRecordingUpstream(works)
    const database = await databaseForTest({ dataFolder: await folderForTest(), databaseUrl: undefined })
    const store = new KnownApprovalStore(database)
    const queries = new DeskQueries({
      readUpstream: createFetchReader(upstream.url),
      knownApprovals: store,
      readDecisions: () => Promise.resolve(decisions),
      directory: new Directory(database, undefined),
    })
    const context = async (work: string, approval: string): Promise<DecisionContext> => {
      return (await queries.context({ work, approval, version: undefined }, "everything", ownOrigin(newTrace())))
        .context
    }
    const allRead = async (work: string, approval: string) => {
      for (;;) {
        const found = await context(work, approval)
        if (found.known.complete) return found
        await new Promise(setImmediate)
      }
    }
    return { upstream, queries, context, allRead, store }
  }

  it("knows pending and resolved approvals of open and done Work, and who decided them", async () => {
    const works = [
      fakeWork("new", 9, { approvals: [letter("now")] }),
      fakeWork("old", 8, { approvals: [decided("o1", "approved", 3), decided("o2", "declined", 2)] }),
      fakeWork("finished", 7, { status: "done", approvals: [decided("f1", "approved", 1)] }),
    ]
    const decisions = [
      { sequence: 1, workId: "finished", approvalId: "f1", decision: "approve", at: NOW, personId: "local" },
    ]
    const desk = await startDesk(works, decisions)
    const found = await desk.allRead("new", "now")
    expect(found.destination).toMatchObject({ first: false, approved: 2, declined: 1 })
    expect(found.destination.last_approved).toEqual({
      work_id: "finished",
      approval_id: "f1",
      status: "approved",
      at: new Date(NOW - DAY).toISOString(),
      person: "local",
    })
    expect(found.destination.history.map(({ approval_id }) => approval_id)).toEqual(["f1", "o2", "o1"])
    expect(found.known.approvals).toBe(3)
    expect(found.first_of_colleague).toBe(false)
    await desk.queries.stop()
    const saved = await desk.store.load(10)
    expect(saved.approvals.map(({ approvalId }) => approvalId).toSorted()).toEqual(["f1", "now", "o1", "o2"])
    expect(JSON.stringify(saved.approvals)).not.toContain("Text")
    expect([...saved.doneWorks].map(([id, { version }]) => [id, version])).toEqual([["finished", "1"]])
    expect(desk.upstream.heard.filter(({ target }) => target.includes("/finished/"))).toHaveLength(1)
  })

  it("says whether a destination is new, looks like another, or has the same letter elsewhere", async () => {
    const works = [
      fakeWork("w1", 3, { approvals: [letter("a1", { destination: "pаyments@halden.example" })] }),
      fakeWork("w2", 2, {
        approvals: [letter("a2", { destination: "pаyments@halden.example" }), decided("ok", "approved", 1)],
      }),
      fakeWork("w3", 1, {
        approvals: [letter("a3", { destination: "new@other.example", requested_by_colleague: "editor" })],
      }),
    ]
    const desk = await startDesk(works)
    const found = await desk.allRead("w1", "a1")
    expect(found.look_alikes).toEqual([
      {
        destination: "payments@halden.example",
        approved: 1,
        declined: 0,
        reason: { kind: "characters", character: "а", script: "Cyrillic" },
      },
    ])
    expect(found.same_elsewhere).toEqual([{ work_id: "w2", work_title: "Title w2", approval_id: "a2" }])
    expect(await desk.context("w3", "a3")).toMatchObject({ first_of_colleague: true, destination: { first: true } })
    await desk.queries.stop()
  })

  it("marks each of two letters of the same moment as the first to its destination", async () => {
    const works = ["w1", "w2"].map((id) => fakeWork(id, 1, { approvals: [letter(`${id}-letter`)] }))
    const desk = await startDesk(works)
    for (const id of ["w1", "w2"]) expect((await desk.allRead(id, `${id}-letter`)).destination.first).toBe(true)
    await desk.queries.stop()
  })

  it("names the older look-alike also beside an approval whose time is no date", async () => {
    const at = (hour: number) => ({ created_at: new Date(NOW + hour * 3_600_000).toISOString() })
    const forged = { destination: "pаyments@halden.example" }
    const works = [
      fakeWork("w1", 3, { approvals: [letter("older", at(1))] }),
      fakeWork("w2", 2, { approvals: [letter("newer", { ...forged, ...at(2) })] }),
      fakeWork("w3", 1, { approvals: [letter("undated", { ...forged, created_at: "soon" })] }),
    ]
    const desk = await startDesk(works)
    for (const [work, approval] of [
      ["w2", "newer"],
      ["w3", "undated"],
    ] as const) {
      const { look_alikes } = await desk.allRead(work, approval)
      expect(look_alikes.map(({ destination }) => destination)).toEqual(["payments@halden.example"])
    }
    await desk.queries.stop()
  })

  it("names the older of two look-alikes that were never approved, and that it was declined", async () => {
    const at = (hour: number) => ({ created_at: new Date(NOW + hour * 3_600_000).toISOString() })
    const forged = { destination: "pаyments@halden.example" }
    const works = [
      fakeWork("w1", 3, { approvals: [letter("older", at(1))] }),
      fakeWork("w2", 2, { approvals: [letter("newer", { ...forged, ...at(2) })] }),
    ]
    const desk = await startDesk(works)
    expect((await desk.allRead("w1", "older")).look_alikes).toEqual([])
    const reason = { kind: "characters", character: "а", script: "Cyrillic" }
    const lookAlike = { destination: "payments@halden.example", approved: 0, declined: 0, reason }
    expect((await desk.context("w2", "newer")).look_alikes).toEqual([lookAlike])

    const [first] = works
    if (first === undefined) throw new Error("no Work")
    first.approvals = [letter("older", { ...at(1), status: "declined" })]
    desk.queries.watcher.hint("w1")
    await expect
      .poll(async () => (await desk.context("w2", "newer")).look_alikes)
      .toEqual([{ ...lookAlike, declined: 1 }])
    await desk.queries.stop()
  })

  it("refuses an approval that does not exist", async () => {
    const desk = await startDesk([fakeWork("w", 1)])
    const ask = async (query: string) =>
      answerOf(desk.queries.context(readContextQuery(query), "everything", ownOrigin(newTrace())))
    expect(await ask("work=w&approval=x")).toMatchObject({ status: 404, code: "PROXY_NOT_FOUND" })
    expect(await ask("work=x&approval=x")).toMatchObject({ status: 404 })
    for (const query of ["", "work=w", "approval=x", "work=w&approval=x&work=y"]) {
      await expect(ask(query)).rejects.toThrow("PROXY_QUERY_INVALID")
    }
    await desk.queries.stop()
  })
})
