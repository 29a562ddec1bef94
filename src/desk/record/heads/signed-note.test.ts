import { createPrivateKey, generateKeyPairSync } from "node:crypto"
import { spawnSync } from "node:child_process"
import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { folderForTest } from "../../store/testing/stores.ts"
import { formatHeadText, parseHeadText } from "./head-note.ts"
import { isSignedBy, parseNote, parseVerifierKey, signNote, toVerifierKey } from "./signed-note.ts"

const { privateKey } = generateKeyPairSync("ed25519")
const HEAD = { sequence: 12, hash: "ab".repeat(32) }
const TEXT = formatHeadText("desk.example", HEAD, Date.UTC(2026, 10, 29))

describe("a signed note", () => {
  test("is what another program verifies: the note and the key taken apart by C2SP's rules, and the signature by openssl", async () => {
    const note = signNote(TEXT, "desk.example", privateKey)
    // The base64 of a key may have a plus, too.
    const [, name, id, key = ""] = /^([^+]+)\+([^+]+)\+(.+)$/.exec(toVerifierKey("desk.example", privateKey).text) ?? []
    const [, text = "", signer = "", signature = ""] = /^([^]*\n)\n— (\S+) (\S+)\n$/.exec(note) ?? []
    const signed = Buffer.from(signature, "base64")
    expect([signer, signed.subarray(0, 4).toString("hex")]).toEqual([name, id])
    expect(text).toBe("desk.example\n12\nq6urq6urq6urq6urq6urq6urq6urq6urq6urq6urq6s=\ntime 2026-11-29T00:00:00.000Z\n")
    const folder = await folderForTest()
    const at = (file: string) => join(folder, file)
    // The encoding of an Ed25519 key in RFC 8410, before its 32 bytes.
    const spki = Buffer.concat([Buffer.from("302a300506032b6570032100", "hex"), Buffer.from(key, "base64").subarray(1)])
    await writeFile(at("key"), spki)
    await writeFile(at("text"), text)
    await writeFile(at("signature"), signed.subarray(4))
    const args = ["pkeyutl", "-verify", "-rawin", "-pubin", "-keyform", "DER"]
    const files = ["-inkey", at("key"), "-in", at("text"), "-sigfile", at("signature")]
    const verify = () => spawnSync("openssl", [...args, ...files], { encoding: "utf8" })
    expect(verify()).toMatchObject({ status: 0, stdout: expect.stringContaining("Verified Successfully") as string })
    await writeFile(at("text"), text.replace("12", "13"))
    expect(verify()).toMatchObject({ status: 1, stdout: expect.stringContaining("Verification Failure") as string })
  })

  test("of another author is read: the examples of C2SP's texts", () => {
    const checkpoint =
      "example.com/behind-the-sofa\n20852163\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n\n— example.com/behind-the-sofa Az3grlgtzPICa5OS8npVmf1Myq/5IZniMp+ZJurmRDeOoRDe4URYN7u5/Zhcyv2q1gGzGku9nTo+zyWE+xeMcTOAYQ8=\n"
    const note = parseNote(checkpoint)
    if (typeof note === "string") throw new Error(note)
    expect(note.signatures).toMatchObject([{ name: "example.com/behind-the-sofa", keyId: "033de0ae" }])
    expect(parseHeadText(note.text)).toMatchObject({
      origin: "example.com/behind-the-sofa",
      head: { sequence: 20_852_163 },
    })
    // The key of Go's checksum database, which its documents publish.
    const sumdb = "sum.golang.org+033de0ae+Ac4zctda0e5eza+HJyk9SxEdh+s3Ux18htTTAD8OuAn8"
    expect(parseVerifierKey(sumdb)).toMatchObject({ name: "sum.golang.org", id: "033de0ae", text: sumdb })
  })

  test("counts as signed by its own key only, and only if nothing was changed", () => {
    const note = parseNote(signNote(TEXT, "desk.example", privateKey))
    if (typeof note === "string") throw new Error(note)
    const [signature] = note.signatures
    if (signature === undefined) throw new Error("no signature")
    const key = toVerifierKey("desk.example", privateKey)
    const other = toVerifierKey("desk.example", generateKeyPairSync("ed25519").privateKey)
    expect(isSignedBy(note.text, signature, key)).toBe(true)
    expect(isSignedBy(note.text.replace("12", "13"), signature, key)).toBe(false)
    expect(isSignedBy(note.text, signature, other)).toBe(false)
    expect(isSignedBy(note.text, { ...signature, bytes: signature.bytes.subarray(1) }, key)).toBe(false)
  })

  const key = toVerifierKey("desk.example", privateKey).text
  test.each([
    ["another name", key.replace("desk", "Desk")],
    ["another id", key.replace(/\+[0-9a-f]{8}\+/, "+00000000+")],
    ["another kind of key", key.replace(/\+A/, "+B")],
    ["too few bytes", key.slice(0, -4)],
    ["a space in the name", key.replace("desk", "de sk")],
    ["nothing", ""],
  ])("no key is read from a text with %s", (_, text) => {
    expect(parseVerifierKey(text)).toBeUndefined()
  })

  const good = signNote(TEXT, "desk.example", privateKey)
  test.each([
    ["NUL", good.replace("desk", "de\0sk"), "control characters"],
    ["a carriage return", good.replaceAll("\n", "\r\n"), "control characters"],
    ["no signature", TEXT, "no signature"],
    ["an incomplete last line", good.trimEnd(), "no end"],
    ["a signature that is not base64", good.replace(/(— \S+ )\S+/, "$1%%%"), "not valid"],
    ["a signature of four bytes", good.replace(/(— \S+ )\S+/, "$1AAAAAA=="), "not valid"],
    ["17 signatures", good + (good.split("\n").at(-2) ?? "").concat("\n").repeat(16), "more than 16"],
  ])("a note with %s is none", (_, note, why) => {
    expect(parseNote(note)).toContain(why)
  })

  const [origin, , root] = TEXT.split("\n")
  test.each([
    ["the size 0", `${origin}\n0\n${root}\n`, "its size is 0"],
    ["a size with a leading zero", `${origin}\n012\n${root}\n`, "not a number"],
    ["a negative size", `${origin}\n-12\n${root}\n`, "not a number"],
    ["a size beyond 2^53", `${origin}\n${2n ** 64n}\n${root}\n`, "too large"],
    ["a short root", `${origin}\n12\n${root?.slice(4)}\n`, "32 bytes"],
    ["two lines", `${origin}\n12\n`, "not those of a head"],
    ["no origin", `\n12\n${root}\n`, "not those of a head"],
    ["an empty extension line", `${origin}\n12\n${root}\n\n`, "not those of a head"],
  ])("a text with %s is no head", (_, text, why) => {
    expect(parseHeadText(text)).toContain(why)
  })

  test("keeps its key in the form that other programs write", () => {
    const pem = privateKey.export({ type: "pkcs8", format: "pem" })
    expect(toVerifierKey("desk.example", createPrivateKey(pem)).text).toBe(key)
  })
})
