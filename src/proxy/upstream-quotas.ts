/** What the upstream's `RateLimit` and `RateLimit-Policy` fields say about the credential's quotas. */
import type { IncomingHttpHeaders } from "node:http"
import { parseList } from "structured-headers"

// The upstream chooses the names of its quotas. The limit bounds the number of labels of the metrics.
const NAMES_MAX = 8
const MINUTE_SECONDS = 60

export class UpstreamQuotas {
  /** The RateLimit field of the last read and of the last mutation. */
  readonly #left = new Map<"GET" | "POST", string>()
  readonly #names = new Set<string>()
  #policy = ""
  #readsPerMinute: number | undefined

  /** Takes the fields of an answer. A refusal may name the policy of clients without a credential. */
  take(method: "GET" | "POST", status: number, headers: IncomingHttpHeaders): void {
    const { ratelimit: left, "ratelimit-policy": policy } = headers
    if (typeof left === "string") this.#left.set(method, left)
    if (method !== "GET" || status >= 400 || typeof policy !== "string" || policy === this.#policy) return
    this.#policy = policy
    this.#readsPerMinute = readsPerMinute(policy) ?? this.#readsPerMinute
  }

  /** The reads that the upstream allows in a minute. Undefined until the upstream has named them. */
  get readsPerMinute(): number | undefined {
    return this.#readsPerMinute
  }

  /** For the metrics: what each quota had left in the last answers. Names beyond the first eight are left out. */
  left(): ReadonlyMap<string, number> {
    const left = new Map<string, number>()
    for (const [name, parameters] of [...this.#left.values()].flatMap(itemsOf)) {
      const rest = parameters.get("r")
      if (typeof rest !== "number" || (!this.#names.has(name) && this.#names.size >= NAMES_MAX)) continue
      this.#names.add(name)
      left.set(name, rest)
    }
    return left
  }
}

/** The quota of the policy `read`, or of the only policy, such as `"read";q=600;w=60`. */
function readsPerMinute(policy: string): number | undefined {
  const items = itemsOf(policy)
  const [, parameters] = items.find(([name]) => name === "read") ?? (items.length === 1 ? items[0] : undefined) ?? []
  const [quota, seconds = MINUTE_SECONDS] = [parameters?.get("q"), parameters?.get("w")]
  if (typeof quota !== "number" || typeof seconds !== "number" || quota < 1 || seconds < 1) return undefined
  return (quota * MINUTE_SECONDS) / seconds
}

/** The named items of a structured field (RFC 9651). None when the field is not valid. */
function itemsOf(field: string): readonly (readonly [name: string, parameters: ReadonlyMap<string, unknown>])[] {
  try {
    return parseList(field).flatMap(([name, parameters]) => (typeof name === "string" ? [[name, parameters]] : []))
  } catch {
    return []
  }
}
