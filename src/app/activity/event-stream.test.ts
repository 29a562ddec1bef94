import { expect, it, vi } from "vitest"
import { createEventCursor } from "./event-cursor.ts"
import { openEventStream, type StreamState } from "./event-stream.ts"

it.each(["", ".", "..", "\ud800"])("stops at once for the id %j, which no browser can send", async (workId) => {
  const onState = vi.fn<(state: StreamState) => void>()
  openEventStream({ workId, cursor: createEventCursor(), onEvent: () => {}, onState })
  await expect.poll(() => onState).toHaveBeenCalled()
  expect(onState.mock.calls).toMatchObject([[{ name: "stopped", error: { kind: "unaddressable" } }]])
})
