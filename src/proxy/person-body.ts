/** The body of a request that needs a session. */
import { isRefusal, type Refusal } from "../http/refusal.ts"
import { mediaTypeRefused } from "./proxy-refusals.ts"
import type { OperationId } from "../contract/resources.ts"
import { isJson, readBody } from "../http/request-body.ts"
import type { RequestContext } from "../http/request-context.ts"
import { send } from "../http/send.ts"
import type { People, Session } from "../people/people.ts"

/**
 * Reads the body of a person's request, and then checks session and role again, because the person may have lost both while the body arrived.
 * With `operation`, the person needs a role that has the operation; without, any role.
 * @returns the body with the session as it is now, or a refusal (401, 403, 408, 413, 503)
 */
export async function readBodyOfPerson(
  context: RequestContext,
  people: People,
  operation?: OperationId,
): Promise<{ readonly body: Buffer; readonly session: Session } | Refusal> {
  const body = await readBody(context)
  if (isRefusal(body)) return body
  const session = await people.identify(context.request.headers.cookie)
  if (isRefusal(session)) return session
  return people.refusalFor(session, operation) ?? { body, session }
}

/** Makes the handler of a route with a JSON body. */
export function withJsonBody(
  people: People,
  handle: (context: RequestContext, session: Session, body: Buffer) => Promise<void>,
): (context: RequestContext) => Promise<void> {
  return async (context) => {
    if (!isJson(context.request)) return send(context, mediaTypeRefused)
    const read = await readBodyOfPerson(context, people)
    return isRefusal(read) ? send(context, read) : handle(context, read.session, read.body)
  }
}
