/** Passes the content of an Artifact on. */
import type { HeaderFields, Refusal } from "../http/refusal.ts"
import { type RequestContext, whenClosed } from "../http/request-context.ts"
import { downloadAnswer } from "../http/security-headers.ts"
import { cut, cutWhenStalled, send, type Answer } from "../http/send.ts"
import { sendUpstream, type UpstreamRequest } from "./upstream-request.ts"
import type { Upstream } from "./upstream.ts"

/**
 * Streams a download as fast as the client reads. Cuts off a client that reads nothing for `stalledDownload`. A download that breaks off
 * upstream breaks off for the client too.
 */
export function download(upstream: Upstream, context: RequestContext, request: UpstreamRequest): void {
  const { response } = context
  cutWhenStalled(context, upstream.timeouts.stalledDownload)
  const answered = (answer: Answer | Refusal) => send(context, answer)
  const abort = sendUpstream(upstream, request, answered, (headers, flow) => {
    response.on("drain", () => flow.resume())
    // Do not flush the head alone: Node would then encode the bytes of a file name as UTF-8 a second time.
    response.writeHead(200, { ...downloadAnswer, ...headers, "Content-Disposition": asAttachment(headers) })
    return {
      data(chunk) {
        if (!response.write(chunk)) flow.pause()
      },
      ended: () => response.end(),
      cut(cause) {
        context.cause = cause
        cut(context)
      },
    }
  })
  whenClosed(context, abort)
}

/** Every download is an attachment. Of another disposition, such as `inline`, only the parameters stay. */
function asAttachment({ "Content-Disposition": value = "attachment" }: HeaderFields): string {
  if (/^\s*attachment\s*(?:;|$)/i.test(value)) return value
  return value.includes(";") ? `attachment${value.slice(value.indexOf(";"))}` : "attachment"
}
