import { Agent, type Dispatcher, request } from "undici"

type Answer = {
  readonly status: number
  readonly headers: Record<string, string | string[] | undefined>
  readonly text: string
}

export type Asked = {
  readonly method?: "GET" | "POST" | "PUT"
  readonly headers?: Record<string, string>
  readonly body?: string
  /** Asks this address instead of PUBLIC_URL: one desk, without the balancer. */
  readonly at?: string
}

/** A person's browser without a page. It keeps cookies, follows the redirects of a sign-in, and sends the headers that the app sends. */
export class PersonClient {
  readonly #publicUrl: string
  readonly #dispatcher: Dispatcher
  readonly #cookies = new Map<string, Map<string, string>>()
  #personId = ""

  constructor(publicUrl: string, certificate: string) {
    this.#publicUrl = publicUrl
    this.#dispatcher = new Agent({ connect: { ca: certificate }, keepAliveTimeout: 30_000 })
  }

  /** Signs in as `subject` of the demonstration's identity provider. `finishAt` is the desk that the provider's redirect reaches. */
  async signIn(subject: string, { beginAt, finishAt }: { beginAt?: string; finishAt?: string } = {}): Promise<void> {
    let answer = await this.#send(new URL("/desk/sign-in?return=/approvals", beginAt ?? this.#publicUrl))
    let address = new URL(this.#publicUrl)
    while (answer.status >= 300 && answer.status < 400) {
      address = new URL(String(answer.headers["location"]), address)
      if (address.pathname === "/approvals") break
      const isCallback = address.pathname === "/desk/sign-in/callback"
      const target =
        isCallback && finishAt !== undefined ? new URL(address.pathname + address.search, finishAt) : address
      answer = await this.#send(target)
      if (answer.status === 200 && address.pathname.startsWith("/choose/")) {
        const headers = { "content-type": "application/x-www-form-urlencoded" }
        answer = await this.#send(address, { method: "POST", headers, body: `person=${subject}` })
      }
    }
    const session = await this.json<{ person: { id: string } | null }>("/desk/session")
    if (session.person === null) throw new Error(`The sign-in of ${subject} failed: ${answer.status} ${answer.text}`)
    this.#personId = session.person.id
  }

  /** Sends a request to an address of the desk as the app does. */
  ask(path: string, asked: Asked = {}): Promise<Answer> {
    const headers = {
      ...(this.#personId !== "" && path.startsWith("/api") && { "desk-person": this.#personId }),
      ...asked.headers,
    }
    return this.#send(new URL(path, asked.at ?? this.#publicUrl), { ...asked, headers })
  }

  /** Sends a mutation with an Idempotency-Key and a JSON body. */
  mutate(
    path: string,
    body: object,
    key: string = crypto.randomUUID(),
    headers: Record<string, string> = {},
  ): Promise<Answer> {
    const sent = { "content-type": "application/json", "idempotency-key": key, ...headers }
    return this.ask(path, { method: "POST", headers: sent, body: JSON.stringify(body) })
  }

  /** The JSON of an answer with status 200. @throws Error for any other status */
  async json<Value>(path: string, asked: Asked = {}): Promise<Value> {
    const { status, text } = await this.ask(path, asked)
    if (status !== 200) throw new Error(`${path}: ${status} ${text}`)
    return JSON.parse(text) as Value
  }

  /** Reads the events of a Work until `enough` returns true. Returns the events' ids in the order of their arrival. */
  async follow(workId: string, enough: (ids: readonly string[]) => boolean, after = "0"): Promise<string[]> {
    const url = new URL(`/api/v1/work/${workId}/events?after=${after}`, this.#publicUrl)
    const headers = { ...this.#headersFor(url), accept: "text/event-stream", "desk-person": this.#personId }
    const { statusCode, body } = await request(url, { headers, dispatcher: this.#dispatcher, bodyTimeout: 60_000 })
    if (statusCode !== 200) throw new Error(`The stream was refused: ${statusCode} ${await body.text()}`)
    const ids: string[] = []
    let rest = ""
    for await (const chunk of body) {
      rest += String(chunk)
      const frames = rest.split("\n\n")
      rest = frames.pop() ?? ""
      for (const frame of frames) ids.push(...(/^id: ?(.*)$/m.exec(frame)?.slice(1) ?? []))
      if (enough(ids)) break
    }
    body.destroy()
    return ids
  }

  async close(): Promise<void> {
    await this.#dispatcher.destroy()
  }

  #headersFor(url: URL): Record<string, string> {
    const isDesk = url.hostname !== "localhost" || url.origin === new URL(this.#publicUrl).origin
    const jar = this.#cookies.get(isDesk ? "desk" : url.origin)
    const cookies = [...(jar ?? [])].map(([name, value]) => `${name}=${value}`).join("; ")
    return { ...(cookies !== "" && { cookie: cookies }), ...(isDesk && { host: new URL(this.#publicUrl).host }) }
  }

  async #send(url: URL, { method = "GET", headers = {}, body }: Asked = {}): Promise<Answer> {
    const own = this.#headersFor(url)
    const answer = await request(url, {
      method,
      headers: { ...own, ...headers },
      ...(body !== undefined && { body }),
      dispatcher: this.#dispatcher,
    })
    const jarName = own["host"] === undefined ? url.origin : "desk"
    const jar = this.#cookies.get(jarName) ?? new Map<string, string>()
    this.#cookies.set(jarName, jar)
    for (const line of [answer.headers["set-cookie"] ?? []].flat()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      if (value === "" || /max-age=0/i.test(line)) jar.delete(name)
      else jar.set(name, value)
    }
    return { status: answer.statusCode, headers: answer.headers, text: await answer.body.text() }
  }
}
