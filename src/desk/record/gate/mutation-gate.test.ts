import { answerOf } from "../../../platform/http/testing/answer-of.ts"
import { describe, expect, test } from "vitest"
import {
  ada,
  approval,
  ben,
  creation,
  DecidingDesk,
  decision,
  describeDesks,
  sessionOf,
  success,
} from "../testing/deciding.ts"
import { type Database, StoreUnavailableError } from "../../store/database.ts"
import { changedDatabase, databaseForTest } from "../../store/testing/stores.ts"
import { verify } from "../chain-verification.ts"
import type { Mutation } from "./mutation.ts"

describeDesks("a mutation", ({ newStore, newDesk }) => {
  describe("in sign-in mode", () => {
    test("has an intent row before it is sent, and an outcome row after the answer", async () => {
      const desk = await newDesk()
      const sent = decision()
      const prepared = await desk.prepare(ada, sent)
      expect(prepared).toMatchObject({ kind: "send", body: sent.body })
      const intent = {
        person: { id: "ada", name: "Ada" },
        roles: ["reader", "approver"],
        operation: "resolveWorkApproval",
        work_id: "work_1",
        item_id: "approval_1",
        decision: "approve",
        version: 1n,
        summary: "Send the profile",
        destination: "payments@bank.example",
        subject: "Profile of october.csv",
        payload_hash: "sha256:abc",
        content_hash: expect.stringMatching(/^sha256:[0-9a-f]{64}$/) as string,
        body_hash: expect.stringMatching(/^sha256:[0-9a-f]{64}$/) as string,
        request_id: "request-1",
      }
      expect(await desk.entries()).toEqual([expect.objectContaining({ ...intent, outcome: "unknown" })])
      if (prepared.kind !== "send") throw new Error("not sent")
      await prepared.storeOutcome(
        success({ ...approval(), status: "approved", resolution_actor: "sa_demo", version: 2 }),
      )
      const [entry] = await desk.entries()
      expect(entry).toMatchObject({
        ...intent,
        outcome: "recorded",
        status: 200,
        replayed: false,
        service_actor: "sa_demo",
      })
      expect(JSON.stringify(await allRows(desk), bigintAsText)).not.toContain("in confidence")
    })

    test("whose COMMIT has no answer was never sent: it is unsent, and no creation of the person stays open", async () => {
      const database = await databaseForTest(await newStore())
      let isLost = true
      const desk = new DecidingDesk(
        changedDatabase(database, {
          transaction: async (lock, work) => {
            const result = await database.transaction(lock, work)
            if (!isLost) return result
            isLost = false
            throw new StoreUnavailableError("the answer is lost", "cut")
          },
        }),
      )
      await desk.refuses(ada, creation(), 503, "PROXY_RECORD_UNAVAILABLE")
      const outcomes = () => database.read("SELECT entry FROM record WHERE outcome = 'unknown'")
      await expect.poll(outcomes).toEqual([{ entry: expect.stringContaining('"unsent":true') as string }])
      expect(await database.read("SELECT intent FROM open_creation")).toEqual([])
    })

    test.each([
      ["a 4xx Problem", { kind: "problem", status: 409 }, "refused", 409],
      ["a 5xx Problem", { kind: "problem", status: 503 }, "unknown", 503],
      ["no answer", { kind: "none" }, "unknown", undefined],
    ] as const)("that ends with %s has that outcome", async (_, answer, outcome, status) => {
      const desk = await newDesk()
      await desk.send(ada, decision(), answer)
      const [entry] = await desk.entries()
      expect(entry).toMatchObject({ outcome })
      expect(entry?.status).toBe(status)
    })

    test("without If-Match, or with one that is no version, is refused before anything is read", async () => {
      const desk = await newDesk()
      await desk.refuses(ada, decision({ ifMatch: undefined }), 428, "PROXY_VERSION_REQUIRED")
      for (const ifMatch of ["1", "*", 'W/"1"', '"1", "2"', '"x"', '"-1"', '"9223372036854775808"']) {
        await desk.refuses(ada, decision({ ifMatch }), 400, "PROXY_VERSION_INVALID")
      }
      expect(desk.reads).toBe(0)
      expect(await desk.entries()).toEqual([])
    })

    test("whose body could be read as two decisions is refused", async () => {
      const desk = await newDesk()
      for (const body of ['{"decision":"decline","decision":"approve"}', "[]", "", '"approve"', "{"]) {
        await desk.refuses(ada, decision({ body: Buffer.from(body) }), 400, "PROXY_BODY_INVALID")
      }
      expect(await desk.entries()).toEqual([])
    })

    test("on an approval that is gone, or was read in another version, is refused without a row", async () => {
      const desk = await newDesk()
      await desk.refuses(ada, decision({ itemId: "other" }), 404, "PROXY_NOT_FOUND")
      desk.approvals = [approval({ version: 2 })]
      await desk.refuses(ada, decision(), 412, "PROXY_VERSION_STALE")
      desk.approvals = [approval({ work_id: "Work_1" })]
      await desk.refuses(ada, decision(), 404, "PROXY_NOT_FOUND")
      desk.approvals = [approval(), approval({ destination: "other@bank.example" })]
      await desk.refuses(ada, decision(), 502, "PROXY_UPSTREAM_INVALID")
      expect(await desk.entries()).toEqual([])
    })

    test("compares versions beyond 2^53 exactly", async () => {
      const desk = await newDesk()
      desk.approvals = [JSON.parse('{"version":0}')]
      const large = (version: string) =>
        answerOf(
          desk.record.prepare(ada, decision({ ifMatch: `"9007199254740993"` }), {
            approvals: async () => {
              const text = JSON.stringify({ data: [approval({ version: 0 })] })
              return Buffer.from(text.replace('"version":0', `"version":${version}`))
            },
            isClarificationListed: async () => true,
            colleague: async () => "analyst",
            isTooLarge: () => false,
            knownColleague: () => undefined,
          }),
        )
      expect(await large("9007199254740992")).toMatchObject({ status: 412 })
      expect(await large("9007199254740993")).toMatchObject({ kind: "send" })
    })

    test("is not sent when the approvals cannot be read", async () => {
      const desk = await newDesk()
      const failing = () => Promise.reject(new Error("the list cannot be read"))
      const reads = {
        approvals: failing,
        isClarificationListed: failing,
        colleague: failing,
        isTooLarge: () => false,
        knownColleague: () => undefined,
      }
      await expect(desk.record.prepare(ada, decision(), reads)).rejects.toThrow("cannot be read")
      expect(await desk.entries()).toEqual([])
    })

    test("of the other four operations reads no approvals", async () => {
      const desk = await newDesk()
      await desk.send(ada, creation(), success({ id: "work_7", title: "October" }, { status: 201 }))
      const answer = { ...decision(), operation: "resolveWorkAttention", itemId: "attention_1" } as const
      await desk.send(
        ada,
        answer,
        success({ id: "attention_1", title: "Which column?", resolved_by: "sa_demo", version: 2 }),
      )
      expect(desk.reads).toBe(0)
      expect(await desk.entries()).toMatchObject([
        {
          operation: "resolveWorkAttention",
          item_id: "attention_1",
          summary: "Which column?",
          service_actor: "sa_demo",
        },
        { operation: "createWork", work_id: "work_7", summary: "October", status: 201 },
      ])
      expect(await desk.entries("work=work_7")).toHaveLength(1)
    })
  })

  describe("with a key that was used before", () => {
    test("forty times reads as little for a replay as with one attempt, also where one was recorded in between", async () => {
      const database = await databaseForTest(await newStore())
      let rows = 0
      const counting = (read: Database["read"]): Database["read"] => {
        return async (...statement) => {
          const found = await read(...statement)
          rows += found.length
          return found
        }
      }
      const read = counting(database.read)
      const transaction: Database["transaction"] = (lock, work) =>
        database.transaction(lock, (statements) => work({ ...statements, read: counting(statements.read) }))
      const desk = new DecidingDesk(changedDatabase(database, { read, transaction }))
      const readBy = async (mutation: Mutation) => {
        rows = 0
        expect(await desk.prepare(ada, mutation)).toMatchObject({ kind: "send" })
        return rows
      }
      const [once, often] = [creation(), creation()]
      await desk.send(ada, once, success({ id: "work_1" }, { status: 201 }))
      for (let attempt = 0; attempt < 40; attempt++) {
        if (attempt === 20) await desk.send(ada, often, success({ id: "work_2" }, { status: 201 }))
        else await desk.prepare(ada, often)
      }
      expect(await readBy(often)).toBeLessThanOrEqual((await readBy(once)) + 2)
    })

    test("by another person is refused, also when both send at once", async () => {
      const desk = await newDesk()
      const sent = decision()
      await desk.send(ada, sent, success(approval()))
      await desk.refuses(ben, sent, 409, "PROXY_KEY_OF_ANOTHER")
      const same = creation()
      const both = await Promise.all([ada, ben].map((person) => answerOf(desk.prepare(person, same))))
      const results = both.map((answer) => ("kind" in answer ? answer.kind : String(answer.status)))
      expect(results.toSorted()).toEqual(["409", "send"])
    })

    test.each([
      ["recorded", success(approval())],
      ["unknown", { kind: "none" }],
    ] as const)(
      "and whose outcome is %s is sent again without rules when the approval has changed, after a new sign-in too",
      async (outcome, first) => {
        const desk = await newDesk()
        const sent = decision()
        await desk.send(ada, sent, first)
        desk.approvals = [approval({ version: 2 })]
        desk.rules({ approvers: ["group:cfo"] })
        const again = sessionOf("Ada", { id: "a later session", authenticatedAt: undefined })
        await desk.send(
          again,
          { ...sent, requestId: "request-9" },
          success({ ...approval(), version: 2 }, { replayed: true }),
        )
        expect(desk.reads).toBe(outcome === "recorded" ? 1 : 2)
        expect(await desk.entries()).toMatchObject([
          { outcome: "recorded", replayed: true, request_id: "request-9", destination: "payments@bank.example" },
          { outcome: "recorded", request_id: "request-1" },
        ])
        expect((await desk.entries())[1]?.replayed).not.toBe(true)
      },
    )

    test("and whose outcome is unknown has all checks while the approval is pending in the same version", async () => {
      const desk = await newDesk()
      const sent = decision()
      await desk.send(ada, sent, { kind: "none" })
      desk.rules({ approvers: ["group:cfo"] })
      await desk.refuses(ada, sent, 403, "PROXY_RULE")
      desk.approvals = [approval({ status: "approved" })]
      expect(await desk.prepare(ada, sent)).toMatchObject({ kind: "send" })
      desk.approvals = []
      expect(await desk.prepare(ada, sent)).toMatchObject({ kind: "send" })
    })

    test("and whose outcomes are unknown and refused has all checks", async () => {
      const desk = await newDesk()
      const sent = decision()
      await desk.send(ada, sent, { kind: "none" })
      await desk.send(ada, sent, { kind: "problem", status: 429 })
      desk.approvals = [approval({ version: 2 })]
      await desk.refuses(ada, sent, 412, "PROXY_VERSION_STALE")
    })

    test("and that the upstream answers as new gives only its own row an outcome", async () => {
      const desk = await newDesk()
      const sent = decision()
      await desk.send(ada, sent, { kind: "none" })
      await desk.send(ada, sent, success(approval()))
      expect((await desk.entries()).map(({ outcome }) => outcome)).toEqual(["recorded", "unknown"])
    })

    test("and was refused starts anew, with all steps", async () => {
      const desk = await newDesk()
      const sent = decision()
      await desk.send(ada, sent, { kind: "problem", status: 409 })
      desk.approvals = [approval({ version: 2 })]
      await desk.refuses(ada, sent, 412, "PROXY_VERSION_STALE")
    })

    test.each([
      ["version", { ifMatch: '"2"' }],
      ["path", { target: "/api/v1/work/work_1/approvals/other/resolve", itemId: "other" }],
      ["body", { body: Buffer.from('{"decision":"approve"}') }],
    ])("with another %s has all steps", async (_, other) => {
      const desk = await newDesk()
      const sent = decision()
      await desk.send(ada, sent, { kind: "none" })
      desk.approvals = [approval({ version: 2 }), approval({ id: "other" })]
      desk.rules({ approvers: ["group:cfo"] })
      expect(await answerOf(desk.prepare(ada, { ...sent, ...other }))).toHaveProperty("code")
      expect(desk.reads).toBe(2)
    })

    test("often by many replays at once lets another change of the record in after a few rows", async () => {
      const database = await databaseForTest(await newStore())
      let rows = 0
      let waitedFor = 0
      const transaction: Database["transaction"] = (lock, work) => {
        const before = rows
        return database.transaction(lock, (statements) => {
          waitedFor = Math.max(waitedFor, rows - before)
          return work({
            ...statements,
            write: (sql, ...values) => {
              if (sql.startsWith("INSERT INTO record ")) rows++
              return statements.write(sql, ...values)
            },
          })
        })
      }
      const [keys, attempts] = [5, 21]
      const sent = Array.from({ length: keys }, () => creation())
      const earlier = new DecidingDesk(database)
      for (const mutation of sent) {
        for (let attempt = 0; attempt < attempts; attempt++) await earlier.prepare(ada, mutation)
      }
      const desk = new DecidingDesk(changedDatabase(database, { transaction }))
      const answer = success({ id: "work_1" }, { status: 201, replayed: true })
      await Promise.all(sent.map((mutation) => desk.send(ada, mutation, answer)))
      const unknown = () => database.read("SELECT intent FROM attempt WHERE outcome = 'unknown' LIMIT 1")
      await expect.poll(unknown).toEqual([])
      expect(rows).toBe(keys * (attempts + 2))
      // One transaction of 20 rows, and the rows of the replays themselves.
      expect(waitedFor).toBeLessThanOrEqual(20 + keys)
    })

    test("that is replayed while the first answer is awaited keeps the outcome of the replay", async () => {
      const desk = await newDesk()
      const sent = decision()
      const first = await desk.prepare(ada, sent)
      await desk.send(ada, sent, success(approval(), { replayed: true }))
      if (first.kind !== "send") throw new Error("not sent")
      await first.storeOutcome({ kind: "none" })
      expect((await desk.entries()).map(({ outcome }) => outcome)).toEqual(["recorded", "recorded"])
    })
  })

  describe("in local mode", () => {
    test("passes its body unchanged, reads no approvals, and has both rows", async () => {
      const database = await databaseForTest(await newStore())
      const desk = new DecidingDesk(database, "local")
      const local = sessionOf("local")
      const odd = decision({ ifMatch: "*", body: Buffer.from('{"decision":"approve","decision":"decline"') })
      expect(await desk.prepare(local, odd)).toMatchObject({ kind: "send", body: odd.body })
      await desk.send(local, decision(), success({ ...approval(), resolution_actor: "sa_demo", version: 2 }))
      expect(desk.reads).toBe(0)
      expect(await desk.entries()).toMatchObject([
        {
          person: { id: "local", name: "local" },
          outcome: "recorded",
          summary: "Send the profile",
          destination: "payments@bank.example",
          service_actor: "sa_demo",
        },
        { outcome: "unknown", work_id: "work_1" },
      ])
    })
  })

  test("keeps its outcome through a fault of the store that the desk does not know", async () => {
    const database = await databaseForTest(await newStore())
    let faults = 0
    const transaction: Database["transaction"] = (lock, work) =>
      faults-- > 0 ? Promise.reject(new Error("no fault that is known")) : database.transaction(lock, work)
    const desk = new DecidingDesk(changedDatabase(database, { transaction }))
    const prepared = await desk.prepare(ada, decision())
    if (prepared.kind !== "send") throw new Error("not sent")
    faults = 2
    await prepared.storeOutcome(success({ ...approval(), status: "approved", version: 2 }))
    await expect.poll(() => desk.entries(), { timeout: 5_000 }).toMatchObject([{ outcome: "recorded" }])
  })

  test("of many at once leaves one chain, with two rows each", async () => {
    const where = await newStore()
    const desks = [new DecidingDesk(await databaseForTest(where)), new DecidingDesk(await databaseForTest(where))]
    await Promise.all(
      Array.from({ length: 20 }, (_, turn) =>
        desks.map((desk) => desk.send(turn % 2 === 0 ? ada : ben, creation(), success({ id: `work_${turn}` }))),
      ).flat(),
    )
    const database = await databaseForTest(where)
    // An answer does not wait for its outcome row on a slow disk.
    await expect
      .poll(async () => {
        const { rows, faults, head } = await verify(database)
        return { rows, faults, sequence: head.sequence }
      })
      .toEqual({ rows: 80, faults: [], sequence: 80 })
  })
})

const bigintAsText = (_: string, value: unknown) => (typeof value === "bigint" ? value.toString() : value)

async function allRows(desk: DecidingDesk): Promise<string[]> {
  const lines = await desk.record.lines("")
  return Array.fromAsync(lines)
}
