import { ProviderAwayError, ProviderInvalidError } from "./provider-errors.ts"

// The largest that is known: a key set with many certificates, or an ID token with thousands of groups.
const MAX_BYTES = 1_048_576

/** What openid-client and jose ask of a fetch. */
type Asked = {
  readonly method: string
  readonly headers: Headers | Record<string, string>
  /** A form, where there is a body. */
  readonly body?: unknown
  readonly signal?: AbortSignal | undefined
}

/** Fetch for the provider's addresses: no redirect, a bounded body, and one error for all that goes wrong on the way. */
export async function providerFetch(address: string, asked: Asked): Promise<Response> {
  const { method, headers, signal = null } = asked
  const body = asked.body instanceof URLSearchParams ? asked.body : null
  try {
    const response = await fetch(address, { method, headers, body, signal, redirect: "manual" })
    const bytes = await readBody(response)
    const { status, headers: answered } = response
    // The standard's Response refuses a body for these.
    return new Response([204, 205, 304].includes(status) ? null : bytes, { status, headers: answered })
  } catch (error) {
    if (error instanceof ProviderInvalidError) throw error
    throw new ProviderAwayError("the provider does not answer", { cause: error })
  }
}

async function readBody(response: Response): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = []
  let length = 0
  // Leaving the loop cancels the body.
  for await (const chunk of response.body ?? []) {
    length += chunk.length
    if (length > MAX_BYTES) throw new ProviderInvalidError("an answer of the provider is too long")
    chunks.push(chunk)
  }
  return Uint8Array.from(Buffer.concat(chunks))
}
