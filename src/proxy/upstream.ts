import { Pool } from "undici"
import { Deadlines } from "./deadlines.ts"
import type { Token } from "./token.ts"

/** How long we wait, in milliseconds. */
export type Patience = {
  /** For an answer to begin. */
  readonly headers: number
  /** For a JSON answer to be whole, from the question on. */
  readonly json: number
  /** A download that says nothing, while we want to hear. */
  readonly silentDownload: number
  /** A stream that says nothing: three heartbeats. */
  readonly silentStream: number
  /** A viewer of a stream that reads nothing of what waits for it. */
  readonly stalledViewer: number
  /** A stream that nobody views: a page that is loaded again finds it. The design allows 2 s. */
  readonly unviewedStream: number
}

export const PATIENCE: Patience = {
  headers: 20_000,
  json: 30_000,
  silentDownload: 60_000,
  silentStream: 45_000,
  stalledViewer: 10_000,
  unviewedStream: 1_000,
}

/** Where the 13 operations are asked, and with what. */
export type Upstream = {
  readonly pool: Pool
  /** `http://host:port`. */
  readonly origin: string
  /** The path of the base address, without a trailing slash. */
  readonly basePath: string
  readonly token: Token
  readonly patience: Patience
  readonly deadlines: Deadlines
}

// How often it is looked for late answers, within the time that they have to begin.
const LOOKS = 100

/** Connects to nothing yet. `baseUrl` has no trailing slash. */
export function openUpstream(baseUrl: string, token: Token, patience: Patience): Upstream {
  const { origin, pathname } = new URL(baseUrl)
  // No pipelining and no retries: a mutation is sent once. HTTP/1.1 only, so that letting go of one answer touches no other.
  const pool = new Pool(origin, {
    pipelining: 1,
    allowH2: false,
    headersTimeout: 0,
    bodyTimeout: 0,
    connectTimeout: patience.headers,
  })
  return {
    pool,
    origin,
    basePath: pathname.replace(/\/$/, ""),
    token,
    patience,
    deadlines: new Deadlines(patience.headers / LOOKS),
  }
}
