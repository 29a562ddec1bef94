import { requestTo } from "./http/handler.ts"
import type { Handler } from "./http/handler.ts"
import { text } from "./store/rows.ts"
import type { Streams } from "./streams.ts"
import type { WorkState } from "./work-state.ts"

/**
 * The handler of streamWorkEvents. It opens one of the streams of streams.ts. The stream starts after `after`, or else after `Last-Event-ID`, or
 * else at the first event.
 */
export function streamHandlers(state: WorkState, streams: Streams) {
  const streamWorkEvents: Handler<"streamWorkEvents"> = {
    operation: "streamWorkEvents",
    answer(checked) {
      const { path, query, credential } = requestTo("streamWorkEvents", checked)
      const workId = text(state.find(path("id"), credential), "id")
      const after = BigInt(query("after") ?? checked.lastEventId ?? 0)
      return { kind: "stream", open: streams.reserve(workId, after, credential) }
    },
  }
  return { streamWorkEvents }
}
