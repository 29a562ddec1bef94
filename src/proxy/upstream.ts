import { Pool } from "undici"
import type { Cause } from "../contract/cause.ts"
import { UpstreamQuotas } from "./upstream-quotas.ts"
import type { Token } from "./token.ts"

/** How long the proxy waits for the upstream and for viewers, in milliseconds. */
export type Timeouts = {
  /** Until an answer begins. */
  readonly headers: number
  /** Until a JSON answer is complete, counted from the request. */
  readonly json: number
  /** Until a download that sends nothing is cut, while the client reads. */
  readonly silentDownload: number
  /** Until a stream that sends nothing is closed: three heartbeats. */
  readonly silentStream: number
  /** Until a viewer is cut off that reads nothing of the bytes that wait for it. */
  readonly stalledViewer: number
  /** Until a client is cut off that reads nothing of a download. */
  readonly stalledDownload: number
  /** Until a stream without viewers closes: a page that is reloaded asks for the same stream again. */
  readonly unviewedStream: number
}

export const TIMEOUTS: Timeouts = {
  headers: 20_000,
  json: 30_000,
  silentDownload: 60_000,
  silentStream: 45_000,
  stalledViewer: 10_000,
  stalledDownload: 30_000,
  unviewedStream: 1_000,
}

/** The service that gets the requests, the credential for the service, and the connections to it. */
export type Upstream = {
  readonly pool: Pool
  /** `http://host:port`. */
  readonly origin: string
  /** The path of the base address, without a trailing slash. */
  readonly basePath: string
  readonly token: Token
  readonly timeouts: Timeouts
  readonly figures: UpstreamFigures
  readonly quotas: UpstreamQuotas
}

/** The numbers that the metrics tell about the upstream. */
export type UpstreamFigures = {
  readonly failures: Map<Cause, number>
  deliveredEvents: number
}

/** Counts a request that got no valid answer of its operation. */
export function countFailure({ failures }: UpstreamFigures, cause: Cause): void {
  failures.set(cause, (failures.get(cause) ?? 0) + 1)
}

/** Prepares a pool of connections to the upstream and opens none yet. `baseUrl` has no trailing slash. */
export function openUpstream(baseUrl: string, token: Token, timeouts: Timeouts): Upstream {
  const { origin, pathname } = new URL(baseUrl)
  // No pipelining and no retries, because a mutation is sent once. HTTP/1.1 alone, so that aborting one answer closes no other answer.
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
    figures: { failures: new Map(), deliveredEvents: 0 },
    quotas: new UpstreamQuotas(),
  }
}
