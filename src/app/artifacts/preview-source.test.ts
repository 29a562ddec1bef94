import { QueryClient, type QueryKey } from "@tanstack/react-query"
import { describe, expect, it } from "vitest"
import type { Artifact } from "../../contract/resources.ts"
import { previewOptions } from "./preview-source.ts"

const resultOf = (workId: string, path: string, size: bigint): Artifact => ({
  id: `of ${workId}`,
  work_id: workId,
  path,
  version: 1n,
  size,
  media_type: "text/markdown",
  content_hash: `sha256:${"0".repeat(64)}`,
  created_at: "2026-11-28T10:00:00Z",
})
const keyOf = (artifact: Artifact): QueryKey => previewOptions(artifact, "markdown").queryKey

describe("a content that is kept", () => {
  it("serves another result with the same hash only if the hash is checked", () => {
    const [one, other] = [50_000n, 50_001n].map((size) => ["w1", "w2"].map((id) => keyOf(resultOf(id, "a.md", size))))
    expect(one?.[0]).toEqual(one?.[1])
    // Only the beginning of a larger text is read, so a result that names a foreign hash must not stand for another.
    expect(other?.[0]).not.toEqual(other?.[1])
  })

  it("is dropped when a hundred newer contents are kept that nothing shows", async () => {
    const client = new QueryClient()
    const keyAt = (at: number) => keyOf(resultOf("w1", `${at}.md`, 1n))
    for (let at = 0; at < 150; at++) client.setQueryData(keyAt(at), { unshowable: "" }, { updatedAt: at + 1 })
    const { queryKey, queryFn } = previewOptions(resultOf("w1", "next.md", 1n), "markdown")
    const signal = AbortSignal.abort()
    if (typeof queryFn !== "function") throw new Error("no read")
    await Promise.allSettled([queryFn({ client, queryKey, signal, meta: undefined })])
    const kept = Array.from({ length: 150 }, (_, at) => at).filter((at) => client.getQueryData(keyAt(at)) !== undefined)
    expect([kept.length, kept[0]]).toEqual([100, 50])
    client.clear()
  })
})
