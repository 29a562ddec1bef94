/** `npm run record -- key` prints the public half of the record's key, and begins another key. */
import { originOf } from "../../desk/record/heads/head-note.ts"
import { type KeyPlace, readKey, readKeyPlace, readKnownKeys, replaceKey } from "../../desk/record/heads/record-key.ts"
import { toVerifierKey } from "../../desk/record/heads/signed-note.ts"
import type { Reader } from "../../desk/store/database.ts"
import { openStoreForChanges, openStoreForReading, storeOf } from "../command.ts"

/** Where the key is, by the environment of the desk. @throws ConfigurationError */
const readPlace = (): KeyPlace => readKeyPlace(process.env, storeOf(process.env))

/** What the key is named after: PUBLIC_URL as the desk has it, or the name that the desk used last. */
async function findOrigin(store: Reader): Promise<string> {
  const publicUrl = URL.parse(process.env["PUBLIC_URL"] ?? "")
  const [newest] = await readKnownKeys(store)
  return publicUrl === null ? (newest?.name ?? originOf(undefined)) : originOf(publicUrl)
}

/** Prints the public half, then those of earlier keys. */
export async function printKey(): Promise<number> {
  await using database = await openStoreForReading()
  const { text } = toVerifierKey(await findOrigin(database), await readKey(database, readPlace()))
  const earlier = (await readKnownKeys(database)).filter((key) => key.text !== text)
  console.log([text, ...earlier.map((key) => `Earlier: ${key.text}`)].join("\n"))
  return 0
}

/** Makes a new key, and prints its public half. */
export async function beginKey(): Promise<number> {
  await using database = await openStoreForChanges()
  const { text } = await replaceKey(database, readPlace(), await findOrigin(database))
  console.log(`${text}\nThe desk signs its next head with this key. Heads signed by earlier keys stay valid.`)
  return 0
}
