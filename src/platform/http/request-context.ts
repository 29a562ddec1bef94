/** What belongs to one request while it is answered: its id, its origin and what it costs. */
import { randomUUID } from "node:crypto"
import type { IncomingMessage, ServerResponse } from "node:http"
import type { Refusal } from "./refusals.ts"
import type { OperationId } from "../../contract/resources.ts"
import { clientOf, peerOf, type TrustedProxies } from "./client-address.ts"
import { type Trace, traceOf } from "./trace.ts"

/** What a person's request is charged while it runs (`desk/http/request-limits.ts`). */
export type Charges = {
  /** Call this for each read of the upstream. */
  readonly upstreamRead: () => void
  /** Call this for a decision that is no decline. @throws Refused (429) when the person has sent too many mutations */
  readonly decision: () => void
}

const nothing = () => undefined
const free: Charges = { upstreamRead: nothing, decision: nothing }

/** Why the desk reads the upstream: the trace that the upstream gets, and who is charged. */
export type Origin = { readonly trace: Trace; readonly charges: Charges }

/** A read of the desk itself, for which nobody is charged. */
export const ownOrigin = (trace: Trace): Origin => ({ trace, charges: free })

/** One request to the proxy, its response, and what the log line and the metrics say about the request. */
export class RequestContext implements Origin {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  /** The desk's id of the request, for its Problem and its log line. */
  readonly requestId = newRequestId()
  readonly client: string
  readonly trace: Trace
  charges = free
  /** For the log: the template of the path, never the path itself. */
  route = "none"
  operation: OperationId | undefined
  personId: string | undefined
  upstreamRequestId: string | undefined
  refusalCode: string | undefined
  /** Why there was no valid answer. Set for every 5xx. */
  cause: Refusal["cause"]
  /** With sign-in: whether the desk replaces every 404 by its own, which does not show what is there (`docs/operating.md`, "Who sees what"). */
  hasOwnNotFound = false
  /** Why a sign-in failed, in the desk's own words and the codes of errors, or what may be wrong with the token. */
  failure: string | undefined

  constructor(request: IncomingMessage, response: ServerResponse, trusted: TrustedProxies) {
    this.request = request
    this.response = response
    this.client = clientOf(request, trusted)
    this.trace = traceOf(request, trusted.has(peerOf(request)))
    // Without a listener, an error while writing to a client that has left would end the process.
    response.on("error", () => undefined)
  }
}

/** Calls `closed` when the client has the whole answer or has left: at once when the client has left before. */
export function whenClosed({ response }: RequestContext, closed: () => void): void {
  if (response.closed) closed()
  else response.once("close", closed)
}

/** A random id, because a counter would reveal how much the desk reads for itself. */
export const newRequestId = (): string => randomUUID()

/** Whether the request has a body: its headers name a length or a transfer coding (RFC 9112, 6.3). */
export function hasBody({ headers }: IncomingMessage): boolean {
  return headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0
}
