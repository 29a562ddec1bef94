import { createHash } from "node:crypto"
import { describe, expect, it } from "vitest"
import { readContentHash, startDigest } from "./read-artifact.ts"

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
    const expected = readContentHash(text)
    if (expected === undefined) throw new Error("not recognised")
    expect(expected).toMatchObject({ algorithm, isAlgorithmNamed: true })
    const digest = startDigest(expected.algorithm)
    for (const byte of content) digest.update(Uint8Array.of(byte))
    expect(digest.digest().toHex()).toBe(expected.digest)
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
