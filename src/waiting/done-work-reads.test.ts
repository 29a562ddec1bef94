import { expect, test } from "vitest"
import { DoneWorkReads, type DoneRead } from "./done-work-reads.ts"
import type { ListedWork } from "./resources.ts"

test("a done Work whose approvals could not be read is read again, and is missing until then", () => {
  let now = 0
  const done = new DoneWorkReads(new Map())
  const read = (): DoneRead => {
    for (;;) {
      const next = done.next(now)
      if ("due" in next) return next.due
      now = next.wakeAt
    }
  }
  const works = ["newer", "older"].map(doneWork)
  read()
  done.takePage(works, undefined, now, 0)

  const newer = read()
  done.takeWork(String(newer.work?.id))
  const older = read()
  expect(older.work?.id).toBe("older")
  done.fail(older, now)
  expect(done.isAllRead, "a Work is missing").toBe(false)

  expect(read(), "it is read again before the list").toEqual(older)
  done.takeWork("older")
  expect(done.isAllRead).toBe(true)
  expect(read().operation).toBe("listWork")
})

test("a Work that the overview shows no more leaves memory, so that there is room for a newer one", () => {
  const done = new DoneWorkReads(new Map())
  done.takePage([doneWork("old")], undefined, 0, 0)
  expect([...done.created.keys()]).toEqual(["old"])
  done.takePage([doneWork("old")], undefined, 0, 30 * 86_400_000)
  expect([...done.created.keys()]).toEqual([])
})

function doneWork(id: string): ListedWork {
  const times = { createdAt: 0, updatedAt: 0, dueAt: undefined }
  const texts = { title: id, objective: "", colleague: "analyst", scope: "account", priority: "normal", question: "" }
  return { id, status: "done", version: 1n, clarificationId: undefined, json: "{}", ...times, ...texts }
}
