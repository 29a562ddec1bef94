/** Reads the body of a request that needs a session. */
import { isRefusal } from "../../platform/http/refusals.ts"
import { mediaTypeRefused } from "./proxy-refusals.ts"
import type { OperationId } from "../../contract/resources.ts"
import { isJson, readBody } from "../../platform/http/request-body.ts"
import type { RequestContext } from "../../platform/http/request-context.ts"
import { Refused } from "../../platform/http/send.ts"
import type { People, Session } from "../people/people-interface.ts"

/**
 * Reads the body of a person's request, then checks session and role again, because the person may have lost them while it arrived. Without
 * `operation`, any role is enough.
 * @returns the body with the session as it is now @throws Refused (401, 403, 408, 413, 503)
 */
export async function readBodyOfPerson(
  context: RequestContext,
  people: People,
  operation?: OperationId,
): Promise<{ readonly body: Buffer; readonly session: Session }> {
  const body = await readBody(context)
  const session = await people.identify(context.request.headers.cookie)
  if (isRefusal(session)) throw new Refused(session)
  people.checkRole(session, operation)
  return { body, session }
}

/** Makes the handler of a route with a JSON body. */
export function withJsonBody(
  people: People,
  handle: (context: RequestContext, session: Session, body: Buffer, query: string) => Promise<void>,
): (context: RequestContext, query: string) => Promise<void> {
  return async (context, query) => {
    if (!isJson(context.request)) throw new Refused(mediaTypeRefused)
    const { session, body } = await readBodyOfPerson(context, people)
    return handle(context, session, body, query)
  }
}
