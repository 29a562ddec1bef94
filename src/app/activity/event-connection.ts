import { EventStreamContentType, fetchEventSource } from "@microsoft/fetch-event-source"
import { DeskError, errorFromResponse } from "../client/desk-error.ts"
import { deskFetch } from "../client/desk-fetch.ts"

/** A whole frame with data, as it was sent: `id` is undefined where the frame had none. */
export type EventFrame = { readonly id: string | undefined; readonly type: string; readonly data: string }

/**
 * Why a connection has ended.
 *
 * - `closed`: its caller closed it.
 * - `cut`: the other side or the network ended it, with or without an error.
 * - `late`: no byte came within the time allowed.
 * - `refused`: the answer was not an event stream.
 */
export type ConnectionEnd =
  | { readonly kind: "closed" }
  | { readonly kind: "cut" }
  | { readonly kind: "late" }
  | { readonly kind: "refused"; readonly error: DeskError }

type Connection = {
  readonly address: string
  /** The longest time without a byte, in milliseconds. The time until the answer begins counts too. */
  readonly silenceMs: number
  /** Closes the connection. */
  readonly signal: AbortSignal
  readonly onOpen: () => void
  readonly onFrame: (frame: EventFrame) => void
}

/** The type of an event without one (HTML, "dispatch the event"). */
const DEFAULT_TYPE = "message"

/**
 * Reads one event stream to its end. The caller connects again, because the retries of fetch-event-source 2.0.1 lose events, repeat the old
 * address and never stop (measured). It never throws, and leaves no request open.
 */
export async function readEventStream(connection: Connection): Promise<ConnectionEnd> {
  const { address, silenceMs, signal, onOpen, onFrame } = connection
  // fetch-event-source ignores a signal that is aborted already.
  if (signal.aborted) return { kind: "closed" }
  const silence = watchSilence(silenceMs)
  const refusal: { error?: DeskError | undefined } = {}
  try {
    await fetchEventSource(address, {
      // fetch-event-source never removes its listener, so each connection has a signal of its own.
      signal: AbortSignal.any([signal, silence.signal]),
      // Without this it opens a second stream on `visibilitychange`, and nothing closes that stream.
      openWhenHidden: true,
      cache: "no-store",
      fetch: async (input, init) => watchedAnswer(await deskFetch(input, init), silence.onBytes),
      onopen: async (response) => {
        refusal.error = await refusalOf(response)
        if (refusal.error !== undefined) throw refusal.error
        onOpen()
      },
      onmessage: ({ id, event, data }) => {
        // The desk names the type of every event (docs/architecture.md, "An event becomes a pixel"). A comment has none.
        if ((event === "" && data === "") || signal.aborted) return
        onFrame({ id: id === "" ? undefined : id, type: event || DEFAULT_TYPE, data })
      },
      // It gives up and closes the connection only when this throws.
      onerror: (cause) => {
        throw cause
      },
    })
  } catch {
    // The connection was refused or cut. The lines below tell which.
  } finally {
    silence.stop()
  }
  if (signal.aborted) return { kind: "closed" }
  if (refusal.error !== undefined) return { kind: "refused", error: refusal.error }
  return { kind: silence.signal.aborted ? "late" : "cut" }
}

function watchedAnswer(response: Response, onBytes: () => void): Response {
  onBytes()
  if (!response.ok || response.body === null) return response
  const { status, statusText, headers } = response
  return new Response(response.body.pipeThrough(watched(onBytes)), { status, statusText, headers })
}

/** After so much work without a pause the browser gets time for input and painting, so that a long replay does not block the tab. */
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

/** Lets the browser run other tasks. */
function letOthersRun(): Promise<void> {
  if ("scheduler" in globalThis && "yield" in scheduler) return scheduler.yield()
  return new Promise((resolve) => setTimeout(resolve))
}

async function refusalOf(response: Response): Promise<DeskError | undefined> {
  if (!response.ok) return errorFromResponse(response)
  const mediaType = response.headers.get("content-type")?.split(";")[0]?.trim().toLowerCase()
  if (response.status === 200 && mediaType === EventStreamContentType) return undefined
  return new DeskError({
    kind: "unreadable",
    title: "The answer was no event stream",
    detail: `The service answered with status ${String(response.status)} and ${mediaType ?? "no content type"}.`,
    code: "",
    status: response.status,
    retryable: true,
  })
}

/**
 * Aborts its signal when `onBytes` was not called for `silenceMs`. There is one timer, however many chunks arrive. Timers stop while the
 * machine sleeps, so the clock is read too when the page is shown again.
 */
function watchSilence(silenceMs: number) {
  const controller = new AbortController()
  let lastBytesAt = performance.now()
  let lastBytesDate = Date.now()
  let timer = setTimeout(look, silenceMs)
  function look() {
    const left = silenceMs - (performance.now() - lastBytesAt)
    if (left <= 0) controller.abort()
    else timer = setTimeout(look, left)
  }
  function lookAfterSleep() {
    if (Date.now() - lastBytesDate >= silenceMs) controller.abort()
  }
  document.addEventListener("visibilitychange", lookAfterSleep)
  addEventListener("focus", lookAfterSleep)
  return {
    signal: controller.signal,
    onBytes: () => {
      lastBytesAt = performance.now()
      lastBytesDate = Date.now()
    },
    stop: () => {
      clearTimeout(timer)
      document.removeEventListener("visibilitychange", lookAfterSleep)
      removeEventListener("focus", lookAfterSleep)
    },
  }
}
