/**
 * To whom this page's storage, locks and channels belong: the id of the person who is signed in, `local` in local mode. Two people who
 * use one browser never share an entry, a lock or a message.
 */
let owner: string | undefined

/** Says who is here. Called once a page load, as soon as the session is known; another person needs another page load. */
export function setOwner(personId: string): void {
  owner = personId
}

/** `name` as the present person's own, for an entry of the storage, a Web Lock or a BroadcastChannel. */
export function ownedName(name: string): string {
  if (owner === undefined) throw new Error(`"${name}" was used before the session was known`)
  return `workdesk/${encodeURIComponent(owner)}/${name}`
}

/** `name` for what belongs to the browser, whoever is signed in. */
export function browserName(name: string): string {
  return `workdesk//${name}`
}
