/** The connections to the upstream, and what its last answers said about its state. */
import type { IncomingHttpHeaders } from "node:http"
import { Pool } from "undici"
import { readQuotas } from "../../platform/http/http-fields.ts"
import type { Cause } from "../../platform/cause.ts"
import { ANSWER_MS } from "../record/gate/attempt-state.ts"
import type { Token } from "./token.ts"

/** How long the proxy waits for the upstream and for viewers, in milliseconds. */
export const TIMEOUTS = {
  /** Until an answer begins. */
  headers: 20_000,
  /** Until a JSON answer is complete, counted from the request. */
  json: ANSWER_MS,
  /** Until a download that sends nothing is cut, while the client reads. */
  silentDownload: 60_000,
  /** Until a stream that sends nothing is closed: three heartbeats. */
  silentStream: 45_000,
  /** Until a viewer is cut off that reads nothing of the bytes that wait for it. */
  stalledViewer: 10_000,
  /** Until a client is cut off that reads nothing of a download. */
  stalledDownload: 30_000,
  /** Until a stream without viewers closes: a page that is reloaded asks for the same stream again. */
  unviewedStream: 1_000,
}

export type Timeouts = Readonly<typeof TIMEOUTS>

/** The service that gets the requests, the credential for the service, and the connections to it. */
export type Upstream = {
  readonly pool: Pool
  readonly origin: string
  /** The path of the base address, without a trailing slash. */
  readonly basePath: string
  readonly token: Token
  readonly timeouts: Timeouts
  readonly figures: UpstreamFigures
  readonly quotas: UpstreamQuotas
  /** How the last request ended. */
  last: LastAnswer
}

/** `token refused`: the service answered 401. `at` is in milliseconds since 1970. */
export type LastAnswer = { readonly fault: Cause | "token refused" | undefined; readonly at: number }

/** For the metrics. */
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
  // No pipelining and no retries, because a mutation is sent once. Only HTTP/1.1, so that aborting one answer closes no other answer.
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
    // `URL` gives `/` for an address without a path.
    basePath: pathname.replace(/\/$/, ""),
    token,
    timeouts,
    figures: { failures: new Map(), deliveredEvents: 0 },
    quotas: new UpstreamQuotas(),
    last: { fault: undefined, at: 0 },
  }
}

// The upstream chooses the names of its quotas, and each name becomes a label of the metrics.
const NAMES_MAX = 8
const MINUTE_SECONDS = 60

/** What the upstream's `RateLimit` and `RateLimit-Policy` fields say about the credential's quotas. */
class UpstreamQuotas {
  /** The RateLimit field of the last read and of the last mutation. */
  readonly #left = new Map<"GET" | "POST", string>()
  readonly #names = new Set<string>()
  #policy = ""
  /** The reads that the upstream allows in a minute. Undefined until the upstream has named them. */
  readsPerMinute: number | undefined

  /** Notes the fields of an answer. Only a successful read has the policy, because a refusal may name the policy of other clients. */
  note(method: "GET" | "POST", status: number, headers: IncomingHttpHeaders): void {
    const { ratelimit: left, "ratelimit-policy": policy } = headers
    if (typeof left === "string") this.#left.set(method, left)
    if (method !== "GET" || status >= 400 || typeof policy !== "string" || policy === this.#policy) return
    this.#policy = policy
    this.readsPerMinute = parseReadsPerMinute(policy) ?? this.readsPerMinute
  }

  /** For the metrics: what each quota had left in the last answers. Names beyond the first eight are left out. */
  left(): ReadonlyMap<string, number> {
    const left = new Map<string, number>()
    for (const [name, { r }] of [...this.#left.values()].flatMap((field) => [...readQuotas(field)])) {
      if (r === undefined || (!this.#names.has(name) && this.#names.size >= NAMES_MAX)) continue
      this.#names.add(name)
      left.set(name, r)
    }
    return left
  }
}

/** The quota of the policy `read`, or of the only policy, such as `"read";q=600;w=60`. */
function parseReadsPerMinute(policy: string): number | undefined {
  const policies = readQuotas(policy)
  const [only] = policies.size === 1 ? policies.values() : []
  const { q = 0, w = MINUTE_SECONDS } = policies.get("read") ?? only ?? {}
  return q < 1 || w < 1 ? undefined : (q * MINUTE_SECONDS) / w
}
