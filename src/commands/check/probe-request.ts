/** Sends one request of a check: with a deadline, without following redirects, and reading at most 1 MiB. */
import { type Dispatcher, request } from "undici"
import { ANSWER_MS } from "./check-line.ts"

const BODY_MAX_BYTES = 1_048_576

export type ProbeAnswer = {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly text: string
  /** The `Date` of the answer in milliseconds since 1970. NaN without one. */
  readonly date: number
  /** Halfway between request and answer, by this machine's clock. */
  readonly middle: number
  readonly milliseconds: number
}

type ProbeRequest = {
  readonly method?: "GET" | "POST"
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

/** Sends one request and reads the answer. @throws the error of the connection */
export async function probe(
  url: string,
  { method = "GET", headers = {}, body }: ProbeRequest = {},
): Promise<ProbeAnswer> {
  const began = Date.now()
  const options: Omit<Dispatcher.RequestOptions, "origin" | "path"> = {
    method,
    headers: { "user-agent": "Workdesk", ...headers },
    signal: AbortSignal.timeout(ANSWER_MS),
    ...(body !== undefined && { body }),
  }
  const answer = await request(url, options)
  const answered = Date.now()
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of answer.body) {
    const bytes = Buffer.from(chunk as Uint8Array)
    length += bytes.length
    if (length > BODY_MAX_BYTES) break
    chunks.push(bytes)
  }
  return {
    status: answer.statusCode,
    headers: answer.headers,
    text: Buffer.concat(chunks).toString("utf8"),
    date: Date.parse(String(answer.headers["date"] ?? "")),
    middle: (began + answered) / 2,
    milliseconds: answered - began,
  }
}
