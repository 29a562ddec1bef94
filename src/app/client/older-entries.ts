import { stringifyJson } from "../../contract/int64.ts"
import { ownedName } from "./owner.ts"
import { readHeader, writeHeader } from "./storage-room.ts"

const DAY = 24 * 60 * 60_000
const KEPT_MS = 90 * DAY

/** The names under which an older version of the app stored drafts and intents, and the kinds that hold them now. */
const MOVES: readonly (readonly [older: RegExp, kind: string, isPlainText: boolean])[] = [
  [/^workdesk:draft:new-work()$/, "new-work-draft", false],
  [/^workdesk:draft:((?:answer|approval)\/.+)$/, "draft", true],
  [/^workdesk:intent:approval\/(.+)$/, "approval-intent", false],
  [/^workdesk:intent:answer\/(.+)$/, "answer-intent", false],
  [/^workdesk:intent:create-work\/(.+)$/, "create-intent", false],
  [/^workdesk:intent:upload\/(.+)$/, "upload-intent", false],
  [/^workdesk:intent:scan-again\/(.+)$/, "scan-intent", false],
  [/^workdesk:input-content:(.+)$/, "input-content", true],
]

/**
 * Moves what an older version of the app stored in this browser to the names of this version, with a header. The older version knew no
 * people, so call this in local mode only.
 */
export function adoptOlderEntries(storage: Storage): void {
  for (const name of Object.keys(storage)) {
    if (!name.startsWith("workdesk:")) continue
    const text = storage.getItem(name) ?? ""
    storage.removeItem(name)
    for (const [older, kind, isPlainText] of MOVES) {
      const [, id] = older.exec(name) ?? []
      const target = ownedName(`${kind}/${id ?? ""}`)
      if (id === undefined || readHeader(storage.getItem(target)) !== undefined) continue
      const now = Date.now()
      const header = writeHeader({ version: 1, writtenAt: now, forgetAt: now + KEPT_MS, mayGo: false })
      try {
        storage.setItem(target, header + (isPlainText ? stringifyJson(text) : text))
      } catch {
        // There is no room. The next page load tries again.
        storage.setItem(name, text)
      }
    }
  }
}
