import { createHash } from "node:crypto"
import { describe, expect, it } from "vitest"
import type { Artifact } from "../../contract/resources.ts"
import { readBeginning, readContentHash } from "./read-artifact.ts"

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

const content = new TextEncoder().encode("profile")
const digestOf = (algorithm: string, encoding: "hex" | "base64" = "hex") =>
  createHash(algorithm).update(content).digest(encoding)

describe("a content hash", () => {
  it.each([
    ["SHA-256", `sha256:${digestOf("sha256")}`],
    ["SHA-256", `SHA-256=${digestOf("sha256").toUpperCase()}`],
    ["SHA-384", `sha384-${digestOf("sha384")}`],
    ["SHA-512", `sha512:${digestOf("sha512")}`],
  ])("is recognised as %s in %s", (algorithm, text) => {
    const digest = digestOf(algorithm.replace("-", "").toLowerCase())
    expect(readContentHash(text)).toEqual({ algorithm, digest, isAlgorithmNamed: true })
  })

  it("may be bare digits without the name of an algorithm", () => {
    expect(readContentHash(digestOf("sha256"))).toMatchObject({ algorithm: "SHA-256", isAlgorithmNamed: false })
  })

  it.each([
    "",
    `sha-256=:${digestOf("sha256", "base64")}:`,
    "md5:d41d8cd98f00b204e9800998ecf8427e",
    "sha256:abc",
    `sha512:${digestOf("sha256")}`,
    'W/"1"',
  ])("is not guessed at in %j", (text) => {
    expect(readContentHash(text)).toBeUndefined()
  })
})
