/**
 * The owner of this page's storage, locks and channels: the id of the person who is signed in, or `local` in local mode. Two people who use
 * one browser never share an entry, a lock or a message.
 */
let owner: string | undefined

/** Sets the owner. Called once for a page load, as soon as the session is known. Another person needs another page load. */
export function setOwner(personId: string): void {
  owner = personId
}

/** The name of an entry, a Web Lock or a BroadcastChannel that belongs to the present person. */
export function ownedName(name: string): string {
  if (owner === undefined) throw new Error(`"${name}" was used before the session was known`)
  return `workdesk/${encodeURIComponent(owner)}/${name}`
}

/** The name of an entry that belongs to the browser, whoever is signed in. */
export function browserName(name: string): string {
  return `workdesk//${name}`
}
