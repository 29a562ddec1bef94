import { expect, it } from "vitest"
import type { Artifact } from "../../contract/resources.ts"
import { readBeginning } from "./read-artifact.ts"

const artifact: Artifact = {
  id: "art_1",
  work_id: "work_1",
  path: "a.csv",
  media_type: "text/csv",
  size: 1n,
  version: 1n,
  content_hash: "",
  created_at: "2026-11-20T08:00:00Z",
}

it.each([{ id: ".." }, { id: "\uD800" }, { work_id: "" }])(
  "of an id that no address can hold is refused with an error to show: %j",
  async (ids) => {
    const reading = readBeginning({ ...artifact, ...ids }, 10, new AbortController().signal)
    await expect(reading).rejects.toMatchObject({ name: "DeskError", kind: "unaddressable" })
  },
)
