import type { FeedEvent } from "./event-log.ts"
import { isJson, onOneLine } from "./json-text.ts"

/**
 * One event as a line of JSON Lines: `id` as the text that was sent, `data` as the JSON that was sent, byte for byte but for
 * line breaks; what is no JSON becomes a string.
 */
export function writeEventLine({ id, type, data, receivedAt }: FeedEvent): string {
  const received = JSON.stringify(new Date(receivedAt).toISOString())
  const payload = isJson(data) ? onOneLine(data) : JSON.stringify(data)
  return `{"id":${JSON.stringify(id ?? null)},"event":${JSON.stringify(type)},"received_at":${received},"data":${payload}}\n`
}

/** Saves the events as a JSON Lines file, oldest first. */
export function saveEvents(workId: string, events: readonly FeedEvent[]): void {
  saveFile(`activity-${workId}.jsonl`, "application/jsonl", events.map(writeEventLine))
}

/** Hands the browser a file to save. Characters that a file name cannot have become `_`. */
export function saveFile(name: string, mediaType: string, parts: string[]): void {
  const address = URL.createObjectURL(new Blob(parts, { type: mediaType }))
  const link = document.createElement("a")
  link.href = address
  link.download = name.replace(/[^\p{L}\p{N}._-]/gu, "_")
  link.click()
  // The browser reads the address after this task.
  setTimeout(() => URL.revokeObjectURL(address), 60_000)
}
