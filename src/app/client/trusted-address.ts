/** The addresses of the workers, as Chromium takes them: from a Trusted Types policy alone. */

type TrustedTypes = {
  createPolicy: (
    name: string,
    rules: { createScriptURL: (url: string) => string },
  ) => {
    createScriptURL: (url: string) => string
  }
}
declare global {
  // Only Chromium has it.
  var trustedTypes: TrustedTypes | undefined
}

/**
 * Makes a function that returns `address`. The policy gives this one address, and no text can become another. The policy of the page
 * (`src/platform/http/security-headers.ts`) names it, too. A name can be used once.
 */
export function trustedAddress(policyName: "push-worker" | "preview-worker", address: string): () => string {
  let policy: ReturnType<TrustedTypes["createPolicy"]> | undefined
  return () => {
    policy ??= globalThis.trustedTypes?.createPolicy(policyName, { createScriptURL: () => address })
    return policy?.createScriptURL(address) ?? address
  }
}
