/** The reads of the upstream for one list that a client asked for. */
import { operations } from "../contract/operations.ts"
import type { JsonObject } from "../http/json-object.ts"
import type { Refusal } from "../http/refusal.ts"
import type { Answer } from "../http/send.ts"
import type { RequestContext } from "../http/request-context.ts"
import type { SharedReads } from "./shared-reads.ts"
import { readIf } from "./visibility-reads.ts"
import { ACCEPT_JSON, type UpstreamRequest } from "./upstream-request.ts"

/** All people share the credential's quota, so a list of a thousand Works must not cost a thousand reads. */
const CHECKS_MAX = 20

/**
 * Reads pages, and what tells whether the person sees an entry of them: at most CHECKS_MAX of the latter, none while the upstream wants no reads,
 * and nothing after the client has left.
 */
export class ListReads {
  /** Whether everything was read that was asked for. If not, the answer has to say so. */
  isComplete = true
  readonly #context: RequestContext
  readonly #reads: SharedReads
  #checks = 0

  constructor(context: RequestContext, reads: SharedReads) {
    this.#context = context
    this.#reads = reads
  }

  /** Reads a resource for a check alone. Undefined: it is not there, or it was not read and `isComplete` is false. */
  async check<Resource extends object>(
    operation: "getWork" | "listWorkApprovals",
    target: string,
    readResource: (json: JsonObject) => Resource,
  ): Promise<Resource | undefined> {
    const isAllowed = this.#checks++ < CHECKS_MAX && Date.now() >= this.#reads.pausedUntil
    const { trace } = this.#context
    const request = { operation: operations[operation], target, headers: ACCEPT_JSON, trace }
    const answer = isAllowed ? await this.read(request) : undefined
    const resource = answer === undefined ? "failed" : readIf(answer, readResource)
    if (resource === "failed") this.isComplete = false
    return typeof resource === "object" ? resource : undefined
  }

  /** Reads a page. Undefined: the client has left. */
  async read(request: UpstreamRequest, isFresh = false): Promise<Answer | Refusal | undefined> {
    return this.#context.response.closed ? undefined : this.#reads.get(request, { isFresh })
  }
}
