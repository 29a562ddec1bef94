/** One connection to the event stream of a Work: opens it, reads its frames, and notices when it is silent. */
import { getLines, getMessages } from "@microsoft/fetch-event-source/lib/esm/parse.js"
import { MAX_INT64 } from "../../contract/int64.ts"
import { HEARTBEAT_SECONDS } from "../../contract/limits.ts"
import { DeskError, errorFromResponse, unreadable } from "../client/desk-error.ts"
import { deskFetch, writePath } from "../client/desk-request.ts"
import { isLocked } from "../client/session.ts"

/** A whole frame with data, as it was sent: `id` is undefined where the frame had none. */
export type EventFrame = { readonly id: string | undefined; readonly type: string; readonly data: string }

/**
 * Why a connection has ended. `closed`: by its caller. `late`: no byte came for `silenceMs`. `refused`: no stream was opened. `offline`: the
 * browser has no network. `cut`: any other end.
 */
type ConnectionEnd =
  | { readonly reason: "closed" | "cut" | "late" | "offline"; readonly error?: undefined }
  | { readonly reason: "refused"; readonly error: DeskError }

type Connection = {
  readonly address: string
  /** The longest time without a byte, in milliseconds. The time until the answer begins counts too. */
  readonly silenceMs: number
  readonly signal: AbortSignal
  readonly onOpen: () => void
  readonly onFrame: (frame: EventFrame) => void
}

/** Without a byte for three heartbeats the connection is dead (openapi.yaml, streamWorkEvents). */
export const SILENCE_MS = 3 * HEARTBEAT_SECONDS * 1000

/** The type of an event without one (HTML, "dispatch the event"). */
const DEFAULT_TYPE = "message"

/** The address of the events of a Work after a sequence. @throws DeskError where no browser can send the id */
export function eventsAddress(workId: string, after: string): string {
  return `${writePath("/api/v1/work/{id}/events", { id: workId })}?after=${after}`
}

/**
 * Reads one event stream to its end. The caller connects again: the retries of fetch-event-source 2.0.1 lose events, repeat the old address and
 * never stop (measured), so only its parser is used. It never throws, and leaves no request open.
 */
export async function readEventStream(connection: Connection): Promise<ConnectionEnd> {
  const { address, silenceMs, signal, onOpen, onFrame } = connection
  if (signal.aborted) return { reason: "closed" }
  const watch = watchConnection(silenceMs, signal)
  try {
    const headers = { accept: "text/event-stream" }
    const response = await deskFetch(new Request(address, { signal: watch.signal, cache: "no-store", headers }))
    const refusal = await refusalOf(response)
    if (refusal !== undefined) throw refusal
    watch.onBytes()
    onOpen()
    const parse = frameParser((frame) => signal.aborted || onFrame(frame))
    const reader = response.body?.getReader()
    watch.signal.addEventListener("abort", () => void reader?.cancel().catch(() => undefined))
    for (let read = await reader?.read(); read?.done === false; read = await reader?.read()) {
      watch.onBytes()
      parse(read.value)
    }
  } catch (error) {
    // Any other error means that the connection was cut.
    if (error instanceof DeskError && !signal.aborted) return { reason: "refused", error }
  } finally {
    watch.stop()
  }
  if (signal.aborted) return { reason: "closed" }
  if (!navigator.onLine) return { reason: "offline" }
  return { reason: watch.signal.aborted ? "late" : "cut" }
}

/** Yields each whole frame with data. A comment has none. */
function frameParser(onFrame: (frame: EventFrame) => void): (chunk: Uint8Array) => void {
  const ignore = () => undefined
  return getLines(
    getMessages(ignore, ignore, ({ id, event, data }) => {
      // The desk names the type of every event (docs/architecture.md, "An event becomes a pixel").
      if (event === "" && data === "") return
      onFrame({ id: id === "" ? undefined : id, type: event || DEFAULT_TYPE, data })
    }),
  )
}

async function refusalOf(response: Response): Promise<DeskError | undefined> {
  if (!response.ok) return errorFromResponse(response)
  const mediaType = response.headers.get("content-type")?.split(";")[0]?.trim().toLowerCase()
  if (response.status === 200 && mediaType === "text/event-stream") return undefined
  return unreadable(response)
}

/**
 * Aborts its signal when `signal` aborts, the browser goes offline, or `onBytes` was not called for `silenceMs`. While the page is locked no request
 * leaves, so that time is no silence. Timers stop while the machine sleeps, so the clock is read too when the page is shown again.
 */
function watchConnection(silenceMs: number, signal: AbortSignal) {
  const lost = new AbortController()
  const stopping = new AbortController()
  const end = () => lost.abort()
  let heardAt = Date.now()
  let timer: ReturnType<typeof setTimeout> | undefined
  function checkSilence() {
    clearTimeout(timer)
    const now = Date.now()
    const isClockSetBack = now < heardAt
    if (isLocked() || isClockSetBack) heardAt = now
    const left = heardAt + silenceMs - now
    if (left <= 0) end()
    else timer = setTimeout(checkSilence, left)
  }
  checkSilence()
  // No `AbortSignal.any`: its signals stay in memory for as long as `signal` does, which is until the tab is hidden.
  signal.addEventListener("abort", end, stopping)
  document.addEventListener("visibilitychange", checkSilence, stopping)
  addEventListener("focus", checkSilence, stopping)
  addEventListener("offline", end, stopping)
  return {
    signal: lost.signal,
    onBytes: () => {
      heardAt = Date.now()
    },
    stop: () => {
      clearTimeout(timer)
      stopping.abort()
    },
  }
}

/** The sequence that an event's id names; undefined where the id is no int64. It is a BigInt, because a double rounds a large sequence. */
export function readSequence(id: string | undefined): bigint | undefined {
  if (id === undefined || !/^\d{1,40}$/.test(id)) return undefined
  const sequence = BigInt(id)
  return sequence <= MAX_INT64 ? sequence : undefined
}
