/**
 * The Ed25519 key that signs heads of the record. It is in a file (RECORD_KEY_FILE, or `record.key` in DATA_DIR), or in the store if several desks
 * share a database without RECORD_KEY_FILE. The store keeps the public half of every key, because old heads stay valid.
 */
import { createPrivateKey, generateKeyPairSync, type KeyObject, randomUUID } from "node:crypto"
import {
  closeSync,
  fsyncSync,
  linkSync,
  openSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  writeFileSync,
} from "node:fs"
import { dirname, join } from "node:path"
import * as v from "valibot"
import { ConfigurationError } from "../../../platform/configuration-error.ts"
import { demand, type Environment } from "../../../platform/environment.ts"
import { FileFault, readNow } from "../../../platform/reread-files.ts"
import type { Database, Reader, Statements } from "../../store/database.ts"
import { insert, select } from "../../store/tables.ts"
import { parseVerifierKey, toVerifierKey, type VerifierKey } from "./signed-note.ts"

/** Where the private half is. `name` is how an error names the file. */
export type KeyPlace =
  | { readonly kind: "file"; readonly path: string; readonly name: string }
  | { readonly kind: "store" }

/** The file in DATA_DIR. */
export const KEY_FILE = "record.key"

const BEGIN_ANOTHER = "put it back, or begin another key with npm run record -- key --new"

/** Reads where the key is. @throws ConfigurationError */
export function readKeyPlace(
  env: Environment,
  { dataFolder, databaseUrl }: { readonly dataFolder: string; readonly databaseUrl: unknown },
): KeyPlace {
  const path = env["RECORD_KEY_FILE"]
  demand(path === undefined || path.trim() !== "", "RECORD_KEY_FILE is empty")
  if (path !== undefined) return { kind: "file", path, name: "RECORD_KEY_FILE" }
  if (databaseUrl !== undefined) return { kind: "store" }
  return { kind: "file", path: join(dataFolder, KEY_FILE), name: `DATA_DIR: ${KEY_FILE}` }
}

/**
 * Opens the key at the start of a desk, and makes it at the first start. Stores its public half under `origin`.
 * @throws ConfigurationError when the key can't be used, or is missing although the record has known one
 */
export async function openRecordKey(database: Database, place: KeyPlace, origin: string): Promise<VerifierKey> {
  if (place.kind === "file" && readKeyFile(place) === undefined) {
    if (await isAnyKeyKnown(database)) throw new ConfigurationError(`${place.name} is missing: ${BEGIN_ANOTHER}`)
    makeKeyFile(place, "keep")
  }
  return database.transaction("record", async (statements) => {
    if (place.kind === "store" && !(await isAnyKeyKnown(statements))) {
      return keepVerifier(statements, toVerifierKey(origin, await storeNewKey(statements, origin)))
    }
    return keepVerifier(statements, toVerifierKey(origin, await readKey(statements, place)))
  })
}

/** Begins another key, and removes a private half from the store. Running desks sign with it from their next head on. @throws ConfigurationError */
export async function replaceKey(database: Database, place: KeyPlace, origin: string): Promise<VerifierKey> {
  const key = place.kind === "file" ? makeKeyFile(place, "replace") : undefined
  return database.transaction("record", async (statements) => {
    await statements.write("UPDATE record_key SET private_key = NULL")
    return keepVerifier(statements, toVerifierKey(origin, key ?? (await storeNewKey(statements, origin))))
  })
}

/** Reads the private half. @throws ConfigurationError */
export async function readKey(store: Reader, place: KeyPlace): Promise<KeyObject> {
  const key = place.kind === "file" ? readKeyFile(place) : await readStoredKey(store)
  if (key !== undefined) return key
  const lost =
    place.kind === "file" ? `${place.name} is missing` : "the database has no key of the record, so set RECORD_KEY_FILE"
  throw new ConfigurationError(`${lost}: ${BEGIN_ANOTHER}`)
}

const GROUP_AND_OTHERS = 0o077
const ALL_BUT_GROUP_READS = 0o037

/** Reads the key file. Undefined if it doesn't exist. @throws ConfigurationError if others can read it, or if it isn't an Ed25519 key */
export function readKeyFile({ path, name }: KeyPlace & { readonly kind: "file" }): KeyObject | undefined {
  const stats = orFault(name, () => statSync(path, { throwIfNoEntry: false }))
  if (stats === undefined) return undefined
  return orFault(name, () => {
    if (isReadByOthers(stats)) throw new FileFault("can be read by other users: change its mode to 0600")
    return parsePrivateKey(readNow(path))
  })
}

/** A mounted secret belongs to root, and its group is how the desk reads it. */
function isReadByOthers({ mode, uid }: Stats): boolean {
  return (mode & (uid === 0 ? ALL_BUT_GROUP_READS : GROUP_AND_OTHERS)) !== 0
}

/** @throws FileFault */
function parsePrivateKey(pem: string): KeyObject {
  let key: KeyObject
  try {
    key = createPrivateKey(pem)
  } catch {
    throw new FileFault("isn't a private key in PEM form")
  }
  if (key.asymmetricKeyType !== "ed25519") throw new FileFault("isn't an Ed25519 key")
  return key
}

function orFault<Result>(name: string, read: () => Result): Result {
  try {
    return read()
  } catch (error) {
    throw new ConfigurationError(`${name} ${error instanceof FileFault ? error.message : "can't be read"}`)
  }
}

const newPem = () => generateKeyPairSync("ed25519").privateKey.export({ type: "pkcs8", format: "pem" })

/** Creates a key file that only this user can read. With `keep`, a file that another desk has just created stays. @throws ConfigurationError */
function makeKeyFile(place: KeyPlace & { readonly kind: "file" }, existing: "keep" | "replace"): KeyObject {
  const { path, name } = place
  const draft = `${path}.${randomUUID()}`
  try {
    writeSynced(draft, newPem())
    if (existing === "replace") renameSync(draft, path)
    // Unlike a rename, a link fails when the file exists.
    else linkSync(draft, path)
    syncFolder(dirname(path))
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "unknown"
    if (code !== "EEXIST") throw new ConfigurationError(`${name} can't be written: ${code}`)
  } finally {
    rmSync(draft, { force: true })
  }
  const key = readKeyFile(place)
  if (key === undefined) throw new ConfigurationError(`${name} was removed`)
  return key
}

function writeSynced(path: string, text: string): void {
  const file = openSync(path, "wx", 0o600)
  try {
    writeFileSync(file, text)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}

function syncFolder(path: string): void {
  const folder = openSync(path, "r")
  try {
    fsyncSync(folder)
  } finally {
    closeSync(folder)
  }
}

const keyRow = v.object({ privateKey: v.string() })

async function readStoredKey(store: Reader): Promise<KeyObject | undefined> {
  const sql = "SELECT private_key FROM record_key WHERE private_key IS NOT NULL ORDER BY number DESC LIMIT 1"
  const [row] = await select(store, keyRow, sql)
  return row && orFault("DESK_DATABASE_URL: the record's key", () => parsePrivateKey(row.privateKey))
}

async function storeNewKey(statements: Statements, origin: string): Promise<KeyObject> {
  const pem = newPem()
  const key = createPrivateKey(pem)
  const { text: verifier } = toVerifierKey(origin, key)
  await insert(statements, "record_key", {
    number: await nextNumber(statements),
    verifier,
    privateKey: pem,
    since: Date.now(),
  })
  return key
}

const numberRow = v.object({ number: v.number() })

async function nextNumber(store: Reader): Promise<number> {
  const [last] = await select(store, numberRow, "SELECT COALESCE(MAX(number), 0) AS number FROM record_key")
  return (last?.number ?? 0) + 1
}

/** Stores the public half of the current key as the newest, in a transaction of the lock `record`. */
export async function keepVerifier(statements: Statements, key: VerifierKey): Promise<VerifierKey> {
  const [newest] = await readVerifiers(statements)
  if (newest === key.text) return key
  const number = await nextNumber(statements)
  // After a change of PUBLIC_URL and back, a known key is the newest again.
  await statements.write(
    `INSERT INTO record_key (number, verifier, since) VALUES (?, ?, ?)
     ON CONFLICT (verifier) DO UPDATE SET number = excluded.number`,
    number,
    key.text,
    Date.now(),
  )
  return key
}

const verifierRow = v.object({ verifier: v.string() })

/** The texts of all known public keys, newest first. @throws StoreUnavailableError */
export async function readVerifiers(store: Reader): Promise<readonly string[]> {
  const rows = await select(store, verifierRow, "SELECT verifier FROM record_key ORDER BY number DESC")
  return rows.map(({ verifier }) => verifier)
}

/** All known public keys. @throws StoreUnavailableError */
export async function readKnownKeys(store: Reader): Promise<readonly VerifierKey[]> {
  return (await readVerifiers(store)).flatMap((text) => parseVerifierKey(text) ?? [])
}

/** Whether the record has ever known a key. @throws StoreUnavailableError */
export async function isAnyKeyKnown(store: Reader): Promise<boolean> {
  return (await readVerifiers(store)).length > 0
}
