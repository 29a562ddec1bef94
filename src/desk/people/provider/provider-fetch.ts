/** The one function that fetches from the identity provider. */
import { ProviderAwayError, ProviderInvalidError } from "./provider-errors.ts"

// A key set with many certificates, and an ID token with thousands of groups, are shorter.
const MAX_BYTES = 1_048_576

/** The arguments that openid-client and jose give to a fetch. */
type FetchOptions = {
  readonly method: string
  readonly headers: Headers | Record<string, string>
  /** A form, if there is a body. */
  readonly body?: unknown
  readonly signal?: AbortSignal | undefined
}

/** Fetches an address of the provider. Follows no redirect and limits the body. @throws ProviderAwayError, ProviderInvalidError */
export async function providerFetch(address: string, options: FetchOptions): Promise<Response> {
  const { method, headers, signal = null } = options
  const body = options.body instanceof URLSearchParams ? options.body : null
  try {
    const response = await fetch(address, { method, headers, body, signal, redirect: "manual" })
    const bytes = await readBody(response)
    const { status, headers: answered } = response
    // The constructor of Response throws for a body with one of these statuses.
    return new Response([204, 205, 304].includes(status) ? null : bytes, { status, headers: answered })
  } catch (error) {
    if (error instanceof ProviderInvalidError) throw error
    throw new ProviderAwayError("the provider isn't responding", { cause: error })
  }
}

async function readBody(response: Response): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = []
  let length = 0
  // The throw leaves the loop and so cancels the body.
  for await (const chunk of response.body ?? []) {
    length += chunk.length
    if (length > MAX_BYTES) throw new ProviderInvalidError("the provider's response is too long")
    chunks.push(chunk)
  }
  return Uint8Array.from(Buffer.concat(chunks))
}
