/** What the desk adds to the entries of `GET /desk/waiting`: the state of `Claims`, and whom an item needs. */
import type { EntryMembers } from "../watcher/personal-snapshots.ts"
import type { ListedItem } from "../watcher/read-resources.ts"
import type { WatchedWork } from "../watcher/watched-work.ts"
import type { ClaimableItem, Claims } from "./claims.ts"

type ToClaimable = (watched: WatchedWork, item: ListedItem) => ClaimableItem

export function entryMembersOf(claims: Claims, toClaimable: ToClaimable): EntryMembers {
  return {
    ownItems: () => claims.ownItems(),
    ofEntry: (personId, watched, item) => claims.members(personId, toClaimable(watched, item)),
    ofAnswer: () => claims.membersOfAnswer(),
    exceptionsToKind: (watched, item) => claims.exceptionsToKind(toClaimable(watched, item)),
    kindOf: (audience) => (audience === "everything" ? "" : `${audience.isAnswerer} ${audience.kind}`),
    isNeeded: (audience, watched, item, isOwn) =>
      isOwn ? claims.isNeeded(audience, toClaimable(watched, item)) : claims.isKindNeeded(audience, item),
  }
}
