import { EventStreamContentType, fetchEventSource } from "@microsoft/fetch-event-source"
import { HEARTBEAT_SECONDS } from "../../contract/limits.ts"
import { writePath } from "../client/api.ts"
import { DeskError, errorFromResponse, unreadable } from "../client/desk-error.ts"
import { deskFetch } from "../client/desk-request.ts"
import { isLocked } from "../client/session.ts"

/** A whole frame with data, as it was sent: `id` is undefined where the frame had none. */
export type EventFrame = { readonly id: string | undefined; readonly type: string; readonly data: string }

/**
 * Why a connection has ended. `closed`: by its caller. `late`: no byte came for `silenceMs`. `refused`: no stream was opened. `offline`: the
 * browser has no network. `cut`: any other end.
 */
export type ConnectionEnd =
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
 * Reads one event stream to its end. The caller connects again, because the retries of fetch-event-source 2.0.1 lose events, repeat the old
 * address and never stop (measured). It never throws, and leaves no request open.
 */
export async function readEventStream(connection: Connection): Promise<ConnectionEnd> {
  const { address, silenceMs, signal, onOpen, onFrame } = connection
  // fetch-event-source ignores a signal that is aborted already.
  if (signal.aborted) return { reason: "closed" }
  const watch = watchConnection(silenceMs)
  try {
    await fetchEventSource(address, {
      // fetch-event-source never removes its listener, so each connection has a signal of its own.
      signal: AbortSignal.any([signal, watch.signal]),
      // Without this option fetch-event-source opens a second stream on `visibilitychange`, and nothing closes that stream.
      openWhenHidden: true,
      cache: "no-store",
      fetch: async (input, init) => {
        const response = await deskFetch(new Request(input, init))
        watch.onBytes()
        if (!response.ok || response.body === null) return response
        return new Response(response.body.pipeThrough(watched(watch.onBytes)), response)
      },
      onopen: async (response) => {
        const refusal = await refusalOf(response)
        if (refusal !== undefined) throw refusal
        onOpen()
      },
      onmessage: ({ id, event, data }) => {
        // The desk names the type of every event (docs/architecture.md, "An event becomes a pixel"). A comment has none.
        if ((event === "" && data === "") || signal.aborted) return
        onFrame({ id: id === "" ? undefined : id, type: event || DEFAULT_TYPE, data })
      },
      // fetch-event-source gives up and closes the connection only when `onerror` throws.
      onerror: (cause) => {
        throw cause
      },
    })
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

/** After this many milliseconds of work the browser gets time for input and painting, so that a long replay does not block the tab. */
const BUSY_MS = 8

/** Passes bytes on. `onBytes` is called for every chunk that arrives, also for comments. */
function watched(onBytes: () => void): TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>> {
  let yieldedAt = performance.now()
  return new TransformStream({
    async transform(chunk, controller) {
      onBytes()
      controller.enqueue(chunk)
      if (performance.now() - yieldedAt < BUSY_MS) return
      await letOthersRun()
      yieldedAt = performance.now()
    },
  })
}

function letOthersRun(): Promise<void> {
  if ("scheduler" in globalThis && "yield" in scheduler) return scheduler.yield()
  return new Promise((resolve) => setTimeout(resolve))
}

async function refusalOf(response: Response): Promise<DeskError | undefined> {
  if (!response.ok) return errorFromResponse(response)
  const mediaType = response.headers.get("content-type")?.split(";")[0]?.trim().toLowerCase()
  if (response.status === 200 && mediaType === EventStreamContentType) return undefined
  return unreadable(response)
}

/**
 * Aborts its signal when the browser goes offline, or `onBytes` was not called for `silenceMs`. While the page is locked no request leaves, so
 * that time is no silence. Timers stop while the machine sleeps, so the clock is read too when the page is shown again.
 */
function watchConnection(silenceMs: number) {
  const lost = new AbortController()
  const stopping = new AbortController()
  let heardAt = Date.now()
  let timer: ReturnType<typeof setTimeout> | undefined
  function checkSilence() {
    clearTimeout(timer)
    const now = Date.now()
    const isClockSetBack = now < heardAt
    if (isLocked() || isClockSetBack) heardAt = now
    const left = heardAt + silenceMs - now
    if (left <= 0) lost.abort()
    else timer = setTimeout(checkSilence, left)
  }
  checkSilence()
  document.addEventListener("visibilitychange", checkSilence, { signal: stopping.signal })
  addEventListener("focus", checkSilence, { signal: stopping.signal })
  addEventListener("offline", () => lost.abort(), { signal: stopping.signal })
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
