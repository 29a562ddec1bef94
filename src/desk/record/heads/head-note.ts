/**
 * The text of a signed head, in the form of a checkpoint (https://c2sp.org/tlog-checkpoint): origin, size and root, then a line with the time. The
 * size is the sequence of the last row, and the root is that row's hash. (It is the end of a hash chain, not the root of a Merkle tree.)
 */
import type { Head } from "../hash-chain.ts"

/** The origin without PUBLIC_URL. */
const LOCAL_ORIGIN = "workdesk-local"

/** What heads and keys are named after: the host of PUBLIC_URL. */
export function originOf(publicUrl: URL | undefined): string {
  return publicUrl?.host ?? LOCAL_ORIGIN
}

/** Formats the text that is signed. `signedAt` is in milliseconds since 1970. */
export function formatHeadText(origin: string, { sequence, hash }: Head, signedAt: number): string {
  const root = Buffer.from(hash, "hex").toString("base64")
  return `${origin}\n${sequence}\n${root}\ntime ${new Date(signedAt).toISOString()}\n`
}

export type HeadText = { readonly origin: string; readonly head: Head; readonly signedAt: string | undefined }

const ROOT = /^[A-Za-z0-9+/]{43}=$/

/** Parses the text of a note. If it isn't a head, returns a sentence that says why. */
export function parseHeadText(text: string): HeadText | string {
  const [origin = "", size = "", root = "", ...more] = text.split("\n")
  const extensions = more.slice(0, -1)
  if (origin === "" || more.at(-1) !== "" || extensions.includes("")) return "its lines are not those of a head"
  if (size === "0") return "its size is 0, and an empty record has no head"
  if (!/^[1-9]\d*$/.test(size)) return "its size is not a number"
  if (!Number.isSafeInteger(Number(size))) return "its size is too large"
  if (!ROOT.test(root)) return "its root is not the base64 of 32 bytes"
  const time = extensions.find((line) => line.startsWith("time "))
  return {
    origin,
    head: { sequence: Number(size), hash: Buffer.from(root, "base64").toString("hex") },
    signedAt: time?.slice("time ".length),
  }
}
