import { Pool } from "undici"
import type { Cause } from "../contract/cause.ts"
import { Deadlines } from "./deadlines.ts"
import type { Token } from "./token.ts"

/** How long the proxy waits, in milliseconds. */
export type Timeouts = {
  /** Until an answer begins. */
  readonly headers: number
  /** Until a JSON answer is complete, counted from the request. */
  readonly json: number
  /** A download that sends nothing although the client reads. */
  readonly silentDownload: number
  /** A stream that sends nothing: three heartbeats. */
  readonly silentStream: number
  /** A viewer that reads nothing of the bytes that wait for it. */
  readonly stalledViewer: number
  /** A stream without viewers. It stays open for a moment, because a page that is reloaded asks for it again. */
  readonly unviewedStream: number
}

export const TIMEOUTS: Timeouts = {
  headers: 20_000,
  json: 30_000,
  silentDownload: 60_000,
  silentStream: 45_000,
  stalledViewer: 10_000,
  unviewedStream: 1_000,
}

/** The service that the 13 operations are forwarded to, and the credential for it. */
export type Upstream = {
  readonly pool: Pool
  /** `http://host:port`. */
  readonly origin: string
  /** The path of the base address, without a trailing slash. */
  readonly basePath: string
  readonly token: Token
  readonly timeouts: Timeouts
  readonly deadlines: Deadlines
  readonly figures: UpstreamFigures
}

/** What the metrics tell about the upstream. */
export type UpstreamFigures = {
  readonly failures: Map<Cause, number>
  deliveredEvents: number
  /** The last RateLimit field of reads and of mutations. */
  readonly rateLimits: Map<"GET" | "POST", string>
}

/** Counts a request that the upstream has not answered, or not as the operation says. */
export function countFailure({ failures }: UpstreamFigures, cause: Cause): void {
  failures.set(cause, (failures.get(cause) ?? 0) + 1)
}

// A late answer is noticed after at most this part of its timeout.
const CHECKS_PER_TIMEOUT = 100

/** Prepares the connections to the upstream; none is opened yet. `baseUrl` has no trailing slash. */
export function openUpstream(baseUrl: string, token: Token, timeouts: Timeouts): Upstream {
  const { origin, pathname } = new URL(baseUrl)
  // No pipelining and no retries: a mutation is sent once. HTTP/1.1 only: aborting one answer then closes no other.
  const pool = new Pool(origin, {
    pipelining: 1,
    allowH2: false,
    headersTimeout: 0,
    bodyTimeout: 0,
    connectTimeout: timeouts.headers,
  })
  return {
    pool,
    origin,
    basePath: pathname.replace(/\/$/, ""),
    token,
    timeouts,
    deadlines: new Deadlines(timeouts.headers / CHECKS_PER_TIMEOUT),
    figures: { failures: new Map(), deliveredEvents: 0, rateLimits: new Map() },
  }
}
