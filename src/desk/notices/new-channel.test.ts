import { expect, test } from "vitest"
import { approvalWork, deskWithNotices } from "../testing/notices.ts"
import type { Channel } from "./channel.ts"
import { isNotified } from "./known-items.ts"

/** A new channel, whole: it writes each item that waits on a board, in one delivery for what a look has found. */
function createBoard(lines: string[]): Channel {
  return {
    name: "board",
    noun: "a line on the board",
    order: "any",
    findDeliveries: async ({ items }) => {
      const fresh = items.filter(({ known }) => !isNotified(known, "board", "waiting", "wall"))
      const notices = fresh.map(({ known }) => ({ item: known, step: "waiting" }))
      return notices.length === 0 ? [] : [{ recipient: "wall", notices }]
    },
    send: async (_, notices, { findItem }) => {
      const waiting = notices.filter((notice) => typeof findItem(notice) === "object")
      lines.push(waiting.map(({ itemId }) => itemId).join(" "))
      return { kind: "sent", answer: "written" }
    },
    test: async () => ({ isTaken: true, answer: "written" }),
  }
}

test("a new channel is one object: the desk finds what waits, keeps it in the outbox and sends it once", async () => {
  const lines: string[] = []
  const works = [approvalWork("1", 10), approvalWork("2", 5)]
  const desk = await deskWithNotices(works, [createBoard(lines)])
  await expect.poll(() => lines).toEqual(["approval_1 approval_2"])
  works.push(approvalWork("3"))
  await expect.poll(() => lines).toEqual(["approval_1 approval_2", "approval_3"])
  const stored = () => desk.database.read("SELECT channel, recipient, outcome, answer FROM notice_delivery")
  const sent = { channel: "board", recipient: "wall", outcome: "sent", answer: "written" }
  await expect.poll(stored).toEqual([sent, sent])
})

test("a channel reaches people whom no mail can reach, and only those who may decide", async () => {
  const received: string[] = []
  const bell: Channel = {
    name: "bell",
    noun: "a ring",
    order: "any",
    findDeliveries: async ({ items, people }) =>
      items.flatMap((item) => {
        const unheard = people.of(item).filter((id) => !isNotified(item.known, "bell", "waiting", id))
        return unheard.map((recipient) => ({ recipient, notices: [{ item: item.known, step: "waiting" }] }))
      }),
    send: async ({ recipient }, _, { readPerson }) => {
      const person = await readPerson(recipient)
      received.push(`${recipient} ${String(person?.address)}`)
      return { kind: "sent", answer: "rung" }
    },
    test: async () => ({ isTaken: true, answer: "rung" }),
  }
  const works = [approvalWork("1")]
  const desk = await deskWithNotices(works, [bell])
  const { "Desk-Person": ada } = await desk.signIn("ada", ["finance"])
  await expect.poll(() => received).toEqual([`${ada} undefined`])
  const { "Desk-Person": ben } = await desk.signIn("ben", ["finance"], "a,b@example.com")
  await desk.signIn("cleo", ["staff"], "cleo@example.com")
  await expect.poll(() => received).toEqual([`${ada} undefined`, `${ben} undefined`])
})
