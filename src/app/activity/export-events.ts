import { safeFileName } from "../ui/safe-name.ts"
import { saveFile } from "../ui/save-file.ts"
import type { FeedEvent } from "./received-events.ts"
import { isJson, onOneLine } from "../ui/json-text.ts"

/**
 * One event as a line of JSON Lines. `id` is the text that was sent. `data` is the JSON that was sent, with a space for each line break. Data
 * that is not JSON becomes a string.
 */
export function writeEventLine({ id, type, data, receivedAt }: FeedEvent): string {
  const received = JSON.stringify(new Date(receivedAt).toISOString())
  const payload = isJson(data) ? onOneLine(data) : JSON.stringify(data)
  return `{"id":${JSON.stringify(id ?? null)},"event":${JSON.stringify(type)},"received_at":${received},"data":${payload}}\n`
}

/** Saves the events as a JSON Lines file, oldest first. */
export function saveEvents(workId: string, events: readonly FeedEvent[]): void {
  saveFile(
    new Blob(events.map(writeEventLine), { type: "application/jsonl" }),
    safeFileName(`activity-${workId}.jsonl`),
  )
}
