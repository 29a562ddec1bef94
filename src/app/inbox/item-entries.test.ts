import { beforeEach, expect, test } from "vitest"
import { setOwner } from "../client/storage.ts"
import { answerIntents, draftOf, readAnswered, readDrafts } from "./item-entries.ts"

beforeEach(() => {
  setOwner("local")
  localStorage.clear()
})

/** Stores a value as an older build did. */
const store = (name: string, value: unknown) =>
  localStorage.setItem(
    `workdesk/local/${name}`,
    JSON.stringify({ kind: 1, writtenAt: Date.now(), forgetAt: Date.now() + 60_000, value }),
  )

test("the draft of an answer has the place in the storage that it always had", () => {
  store("draft/answer/work_1/attention_1", "From the build before")
  const draft = draftOf("clarification", "work_1", "attention_1")
  expect(draft.read()).toBe("From the build before")
  draftOf("approval", "work_1", "approval_1").write("A comment")
  draftOf("approval", "work_2", "approval_2").write("About another Work")
  expect(readDrafts("work_1")).toEqual([
    { typed: "answer", text: "From the build before" },
    { typed: "comment", text: "A comment" },
  ])
})

test("an answer that an older build stored as recorded is confirmed", () => {
  store("answer-intent/work_1/attention_1", {
    key: "key_1",
    input: { version: 1, text: "Yes" },
    since: 5,
    state: "recorded",
    result: { version: 2, status: "resolved", title: "A question", text: "Yes" },
    replayed: false,
  })
  expect(answerIntents("work_1", "attention_1").read()).toMatchObject({ state: "confirmed", result: { version: 2n } })
  expect(readAnswered("work_1")).toMatchObject([{ id: "attention_1", title: "A question", version: 2n }])
})
