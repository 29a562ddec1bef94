import { expect, test } from "vitest"
import { DeskError } from "../client/desk-error.ts"
import { type InputState, stateBeforeUpload, stateOfUpload } from "./input-states.ts"
import type { InputUpload } from "../../contract/resources.ts"

const draft = { id: "i", name: "a.csv", bytes: 3, mediaType: "text/csv" } as const
const upload = { id: "u", status: "failed", expires_at: "2026-11-23T10:00:00Z" } as InputUpload

test.each<[InputState, Parameters<typeof stateBeforeUpload>]>([
  ["sending", [draft, undefined, true]],
  ["kindless", [{ ...draft, mediaType: undefined }, undefined, true]],
  ["unfit", [{ ...draft, problem: "It's empty." }, undefined, false]],
  ["refused", [draft, "refused", false]],
  ["reading", [draft, "confirmed", true]],
  // The browser has lost its content before it was sent. Choosing a kind would not help.
  ["gone", [{ ...draft, mediaType: undefined }, undefined, false]],
])("before its upload an input is %s for %j", (state, given) => {
  expect(stateBeforeUpload(...given)).toBe(state)
})

test("an upload has the state that the service says, until it is not there any more", () => {
  const notVisible = new DeskError({ kind: "problem", title: "", detail: "", code: "NOT_FOUND", status: 404 })
  const noAnswer = new DeskError({ kind: "unreachable", title: "", detail: "" })
  expect(stateOfUpload(undefined, undefined)).toBe("reading")
  expect(stateOfUpload(upload, noAnswer)).toBe("failed")
  expect(stateOfUpload({ ...upload, processing_state: "scan_failed" }, undefined)).toBe("scan_failed")
  expect(stateOfUpload(upload, notVisible)).toBe("lost")
})
