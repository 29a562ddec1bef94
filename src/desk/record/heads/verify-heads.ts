/** Compares signed heads that were kept elsewhere with the chain, and names the rows that were rewritten. */
import * as v from "valibot"
import { plural } from "../../../contract/plural.ts"
import type { Reader } from "../../store/database.ts"
import { inChunks, placesFor, select } from "../../store/tables.ts"
import { FAULTS_MAX } from "../chain-verification.ts"
import { type Head, readCheckpoints, readHead } from "../hash-chain.ts"
import { type HeadText, parseHeadText } from "./head-note.ts"
import { type FoundNote, LINE_MAX_BYTES } from "./heads-file.ts"
import { readKnownKeys } from "./record-key.ts"
import { isSignedBy, type Note, parseNote, type VerifierKey } from "./signed-note.ts"

const HEADS_AT_A_TIME = 200
/** At most this many matching rows are remembered: a hundred years of heads. */
const MATCHING_MAX = 1_000_000

export type HeadsVerification = {
  /** A sentence for each head that the record contradicts, and for each note that isn't a head. */
  readonly faults: readonly string[]
  /** What else a person should know. */
  readonly remarks: readonly string[]
  /** Heads that a known key has signed, and that stand in the chain. */
  readonly proven: number
  /** The last row of the newest of these heads. Undefined if there is no such head. */
  readonly newest: HeadText | undefined
}

/** A note of a file with what is known about it before the chain is read. */
type ReadHead = HeadText & {
  readonly line: number
  readonly signer: "known" | "unknown"
}

/** Compares the heads of a file with the record. @throws StoreUnavailableError @throws whatever `found` throws */
export async function verifyHeads(
  store: Reader,
  found: AsyncIterable<readonly FoundNote[]>,
): Promise<HeadsVerification> {
  const comparison = new Comparison(await readKnownKeys(store), await readCheckpoints(store))
  for await (const notes of found) {
    for (const some of inChunks(notes, HEADS_AT_A_TIME)) {
      const heads = some.flatMap((note) => comparison.read(note) ?? [])
      comparison.compare(heads, await readHashes(store, heads), await readHead(store))
    }
  }
  return comparison.result()
}

const hashRow = v.object({ sequence: v.number(), hash: v.string() })

/** The hashes of the rows that heads are about, by sequence. An archived row has none. */
async function readHashes(store: Reader, heads: readonly ReadHead[]): Promise<ReadonlyMap<number, string>> {
  const sequences = [...new Set(heads.map(({ head }) => head.sequence))]
  if (sequences.length === 0) return new Map()
  const sql = `SELECT sequence, hash FROM record WHERE hash <> '' AND sequence IN (${placesFor(sequences)})`
  const rows = await select(store, hashRow, sql, ...sequences)
  return new Map(rows.map(({ sequence, hash }) => [sequence, hash]))
}

class Comparison {
  readonly #keys: ReadonlyMap<string, VerifierKey>
  readonly #checkpoints: readonly Head[]
  readonly #faults = new Sentences()
  readonly #unknownKeys = new Map<string, number>()
  /** Signed heads that the record contradicts, and that it confirms, by sequence. */
  #firstDiffering = Number.POSITIVE_INFINITY
  readonly #matching = new Set<number>()
  #proven = 0
  #unproven = 0
  #newest: HeadText | undefined
  /** How many heads are within each archive, by its last row. */
  readonly #archived = new Map<number, number>()
  #tooLong = 0

  constructor(keys: readonly VerifierKey[], checkpoints: readonly Head[]) {
    this.#keys = new Map(keys.map((key) => [`${key.name}+${key.id}`, key]))
    this.#checkpoints = checkpoints
  }

  /** Reads a note and checks its signatures. Undefined if it isn't a head, or a signature is wrong. */
  read(found: FoundNote): ReadHead | undefined {
    const { line } = found
    if ("isTooLong" in found) {
      this.#tooLong++
      return undefined
    }
    const note = "note" in found ? parseNote(found.note) : found.fault
    if (typeof note === "string") return this.#addInvalid(line, note)
    const text = parseHeadText(note.text)
    if (typeof text === "string") return this.#addInvalid(line, text)
    const signer = this.#findSigner(note, text.origin)
    if (signer === "forged") {
      this.#faults.add(`Line ${line}: the signature of the head of row ${text.head.sequence} is wrong.`)
      return undefined
    }
    return { ...text, line, signer }
  }

  #addInvalid(line: number, why: string): undefined {
    this.#faults.add(`Line ${line} has no valid head: ${why}.`)
  }

  /** Only a signature under the name of the origin counts (C2SP's tlog-checkpoint). */
  #findSigner({ text, signatures }: Note, origin: string): "known" | "unknown" | "forged" {
    let signer: "known" | "unknown" = "unknown"
    for (const signature of signatures) {
      const key = this.#keys.get(`${signature.name}+${signature.keyId}`)
      if (key === undefined || signature.name !== origin) continue
      if (!isSignedBy(text, signature, key)) return "forged"
      signer = "known"
    }
    const [first] = signatures
    if (signer === "unknown" && first !== undefined) {
      const name = `${printable(first.name)}, ${first.keyId}`
      if (this.#unknownKeys.has(name) || this.#unknownKeys.size < FAULTS_MAX)
        this.#unknownKeys.set(name, (this.#unknownKeys.get(name) ?? 0) + 1)
    }
    return signer
  }

  compare(heads: readonly ReadHead[], hashes: ReadonlyMap<number, string>, end: Head): void {
    const lastArchived = this.#checkpoints.at(-1)?.sequence ?? 0
    for (const each of heads) {
      const { sequence, hash } = each.head
      const isArchived = sequence <= lastArchived
      const expected = isArchived
        ? this.#checkpoints.find((checkpoint) => checkpoint.sequence === sequence)?.hash
        : hashes.get(sequence)
      if (expected === hash) this.#addMatching(each)
      else if (expected !== undefined) this.#addDiffering(each)
      else if (isArchived) this.#addArchived(sequence)
      else if (sequence > end.sequence) {
        this.#faults.add(
          `Line ${each.line}: the head of row ${sequence} is newer than the record, which ends with row ${end.sequence}. Rows were removed, or an older backup was restored.`,
        )
      } else this.#faults.add(`Line ${each.line}: row ${sequence}, which has a head, was removed.`)
    }
  }

  #addMatching(each: ReadHead): void {
    const { sequence } = each.head
    if (each.signer === "unknown") {
      this.#unproven++
      return
    }
    this.#proven++
    if (this.#matching.size < MATCHING_MAX) this.#matching.add(sequence)
    if (sequence >= (this.#newest?.head.sequence ?? 0)) this.#newest = each
  }

  #addDiffering({ line, head: { sequence }, signer }: ReadHead): void {
    const by = signer === "unknown" ? ", which an unknown key has signed" : ""
    this.#faults.add(`Line ${line}: row ${sequence} has another hash than its head${by}.`)
    if (signer === "known") this.#firstDiffering = Math.min(this.#firstDiffering, sequence)
  }

  #addArchived(sequence: number): void {
    const end = this.#checkpoints.find((checkpoint) => checkpoint.sequence >= sequence)?.sequence ?? 0
    this.#archived.set(end, (this.#archived.get(end) ?? 0) + 1)
  }

  result(): HeadsVerification {
    const faults = [...this.#faults.all(), ...this.#formatRewritten()]
    const remarks = [
      ...[...this.#unknownKeys].map(
        ([name, heads]) =>
          `${plural(heads, "head")} signed by a key that this record doesn't know (${name}): no proof without a known signature.`,
      ),
      ...[...this.#archived].map(
        ([end, heads]) =>
          `${plural(heads, "head")} of archived rows not compared: the archive file that ends with row ${end} has these rows.`,
      ),
      ...(this.#tooLong === 0
        ? []
        : [`${plural(this.#tooLong, "line")} longer than ${plural(LINE_MAX_BYTES, "byte")} not read.`]),
      ...(this.#unproven === 0 ? [] : [`${plural(this.#unproven, "head")} of unknown keys found in the record.`]),
    ]
    return { faults, remarks, proven: this.#proven, newest: this.#newest }
  }

  /** Names the rows of which at least one was changed: after the last head that matches, up to the first that doesn't. */
  #formatRewritten(): readonly string[] {
    const last = this.#firstDiffering
    if (!Number.isFinite(last)) return []
    let before = 0
    let after = 0
    for (const sequence of this.#matching) {
      if (sequence < last) before = Math.max(before, sequence)
      else after = Math.max(after, sequence)
    }
    if (after > 0) {
      return [
        `The head of row ${after} matches although that of row ${last} doesn't. The desk has signed two histories, as after an older backup was restored.`,
      ]
    }
    const archived = this.#checkpoints.at(-1)?.sequence ?? 0
    if (before === 0 && last > archived && archived > 0) {
      return [`The record was rewritten: row ${last} or a row before it, archived rows included.`]
    }
    const rows = before + 1 === last ? `Row ${last} was` : `At least one of the rows ${before + 1} to ${last} was`
    return [`The record was rewritten. ${rows} changed after its head was signed.`]
  }
}

/** Sentences up to a limit. Of the others only the number is kept. */
class Sentences {
  readonly #sentences: string[] = []
  #more = 0

  add(sentence: string): void {
    if (this.#sentences.length < FAULTS_MAX) this.#sentences.push(sentence)
    else this.#more++
  }

  all(): readonly string[] {
    return this.#more === 0 ? this.#sentences : [...this.#sentences, `${plural(this.#more, "fault")} more.`]
  }
}

const printable = (text: string) => text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, "\u{FFFD}")
