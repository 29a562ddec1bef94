import { readFile, readdir } from "node:fs/promises"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { listOf, open, textOf } from "../testing/client.ts"
import { deskServiceForTest, eventually, folderForTest, startDeskService } from "../testing/desk-service.ts"
import type { DeskService } from "../testing/desk-service.ts"
import { ALICE } from "../testing/desk-service.ts"
import type { ApprovalRequest, Colleague, Desk } from "../../colleagues/colleague.ts"

const LETTER = { destination: "post@example.com", subject: "Sums\nand more", body: "One\n\nTwo" }
const REQUEST: ApprovalRequest = {
  ...LETTER,
  summary: "Send the sums",
  risk: "low",
  policy_reason: "Letters leave the house",
}
const QUESTION = { title: "Which?", what_happened: "a", why_needed: "b", recommended_action: "c", consequences: "d" }

/** A colleague that counts how often each of its lines is run; its steps are one of each kind. */
function clerk(): { colleague: Colleague; runs: string[] } {
  const runs: string[] = []
  return {
    runs,
    colleague: {
      id: "clerk",
      label: "Clerk",
      async run(desk) {
        runs.push("begin")
        await desk.publish("note", { message: "first" })
        await desk.pause(1)
        const answer = await desk.ask(QUESTION)
        runs.push(`answer ${answer}`)
        await desk.deliver({ path: "result.txt", media_type: "text/plain", content: answer })
        const { decision, comment } = await desk.requestApproval(REQUEST)
        runs.push(`${decision} ${comment}`)
        if (decision === "approve") await desk.send(LETTER)
        await desk.finish(`${decision}d`)
      },
    },
  }
}

/** The types of all events so far. */
async function eventsOf(service: DeskService, work: string): Promise<string[]> {
  const response = await open(service.url, "GET", `/api/v1/work/${work}/events`, { token: ALICE })
  let text = ""
  for await (const piece of response) {
    text += String(piece)
    if (text.includes("event: work.done")) break
  }
  return [...text.matchAll(/^event: (.*)$/gm)].map(([, type = ""]) => type)
}

const run = (body: (desk: Desk) => Promise<void>): Colleague => ({ id: "clerk", label: "Clerk", run: body })

describe("the runtime", () => {
  test("goes on from the last step after every restart, and does nothing twice", async () => {
    const dataFolder = await folderForTest()
    const { colleague, runs } = clerk()
    const start = () => startDeskService({ dataFolder, colleagues: [colleague] })
    let service = await start()
    const restart = async () => {
      await service.stop()
      service = await start()
    }
    const work = await service.work({ colleague_id: "clerk" })
    const attention = await service.first(work, "attention")
    await restart()
    expect(await service.first(work, "attention")).toBe(attention)
    await service.answer(work, "this one")
    const approval = await service.first(work, "approvals")
    await restart()
    expect(await service.first(work, "approvals")).toBe(approval)
    await service.decide(work, "approve")
    await service.until(work, "done")
    await restart()
    expect(await eventsOf(service, work)).toEqual([
      "work.created",
      "note",
      "attention.opened",
      "work.needs_you",
      "attention.resolved",
      "work.working",
      "artifact.created",
      "artifact.available",
      "approval.requested",
      "work.needs_you",
      "approval.approved",
      "work.working",
      "letter.sent",
      "work.done",
    ])
    expect(runs).toEqual(["begin", "begin", "answer this one", "begin", "answer this one", "approve undefined"])
    expect(listOf((await service.get(`/api/v1/work/${work}/artifacts`)).body)).toHaveLength(1)
    const letters = await readdir(join(dataFolder, "outbox"))
    expect(letters).toHaveLength(1)
    const letter = await readFile(join(dataFolder, "outbox", letters[0] ?? ""), "utf8")
    expect(letter).toBe("To: post@example.com\nSubject: Sums and more\n\nOne\n\nTwo\n")
    const [request] = listOf((await service.get(`/api/v1/work/${work}/approvals`)).body)
    expect(letters[0]).toBe(`${textOf(request, "action_id")}.txt`)
    await service.stop()
  })

  test("sends nothing that was declined", async () => {
    const dataFolder = await folderForTest()
    const service = await deskServiceForTest({ dataFolder, colleagues: [clerk().colleague] })
    const work = await service.work({ colleague_id: "clerk" })
    await service.answer(work)
    await service.decide(work, "decline")
    await service.until(work, "done")
    expect(await readdir(join(dataFolder, "outbox"))).toEqual([])
  })

  test("refuses to send a letter that was not approved, and says so at the end", async () => {
    const service = await deskServiceForTest({ colleagues: [run((desk) => desk.send(LETTER))] })
    const done = await service.until(await service.work({ colleague_id: "clerk" }), "done")
    expect(textOf(done, "completion_summary")).toContain("not approved")
  })

  test("refuses to send another letter than the approved one", async () => {
    const dataFolder = await folderForTest()
    const swindler = run(async (desk) => {
      await desk.requestApproval(REQUEST)
      await desk.send({ ...LETTER, destination: "elsewhere@example.com" })
    })
    const service = await deskServiceForTest({ dataFolder, colleagues: [swindler] })
    const work = await service.work({ colleague_id: "clerk" })
    await service.decide(work, "approve")
    expect(textOf(await service.until(work, "done"), "completion_summary")).toContain("not approved")
    expect(await readdir(join(dataFolder, "outbox"))).toEqual([])
  })

  test("ends Work whose colleague fails or just returns", async () => {
    const failing = await deskServiceForTest({ colleagues: [run(() => Promise.reject(new Error("out of ink")))] })
    const failed = await failing.until(await failing.work({ colleague_id: "clerk" }), "done")
    expect(textOf(failed, "completion_summary")).toContain("out of ink")
    const returning = await deskServiceForTest({ colleagues: [run(() => Promise.resolve())] })
    await returning.until(await returning.work({ colleague_id: "clerk" }), "done")
  })

  test("counts on after a restart with `every`, and its journal does not grow", async () => {
    const dataFolder = await folderForTest()
    const counter = run((desk) => desk.every(0.002, (count) => ({ type: "tick", payload: { count } })))
    const first = await startDeskService({ dataFolder, colleagues: [counter] })
    const work = await first.work({ colleague_id: "clerk" })
    const counts = async (service: DeskService, atLeast: number) => {
      const response = await open(service.url, "GET", `/api/v1/work/${work}/events`, { token: ALICE })
      let text = ""
      for await (const piece of response) {
        text += String(piece)
        if ([...text.matchAll(/"count":/g)].length > atLeast) break
      }
      return [...text.matchAll(/"count":(\d+)/g)].map(([, count]) => Number(count))
    }
    const before = (await counts(first, 30)).length
    await first.stop()
    const second = await deskServiceForTest({ dataFolder, colleagues: [counter] })
    const after = await counts(second, before + 100)
    expect(after).toEqual(after.map((_, index) => index + 1))
  })

  test("waits for a person without a limit of its own", async () => {
    const service = await deskServiceForTest({ colleagues: [clerk().colleague] })
    const work = await service.work({ colleague_id: "clerk" })
    await service.first(work, "attention")
    const other = await service.work({ colleague_id: "clerk" })
    await service.answer(other)
    await eventually(async () =>
      expect(listOf((await service.get(`/api/v1/work/${other}/approvals`)).body)).toHaveLength(1),
    )
    expect((await service.get(`/api/v1/work/${work}`)).body).toMatchObject({ status: "needs_you" })
  })
})
