/** The log of a failed sign-in says what an administrator changes. */
import { expect, it } from "vitest"
import { Browser, peopleForTest } from "./testing/browser.ts"
import { CLIENT_SECRET, HostileProvider } from "./testing/hostile-provider.ts"

const NOW = Math.floor(Date.now() / 1_000)

type Mistake = (provider: HostileProvider) => void

it.each<[string, Mistake, RegExp]>([
  [
    "a wrong client secret in the header",
    (provider) => (provider.secretIn = "header"),
    /change OIDC_CLIENT_ID, OIDC_CLIENT_SECRET or its file$/,
  ],
  [
    "a provider's clock that is 10 minutes behind",
    (provider) => (provider.lie = (claims) => ({ ...claims, iat: NOW - 900, exp: NOW - 600 })),
    /the clocks of the provider and of this machine differ: synchronize them$/,
  ],
  [
    "a scope that the provider does not have",
    (provider) =>
      (provider.redirect = (query) => {
        query.delete("code")
        query.set("error", "invalid_scope")
      }),
    /invalid_scope, correct OIDC_SCOPES$/,
  ],
])("%s", async (_, change, codes) => {
  const provider = await HostileProvider.start()
  change(provider)
  const secret = provider.secretIn === undefined ? {} : { clientSecret: () => "wrong-secret-77aa" }
  const { signIn } = await peopleForTest(provider, secret)
  const result = await new Browser().signIn(signIn)
  expect(result).toMatchObject({ kind: "failed", codes: expect.stringMatching(codes) as string })
  expect(JSON.stringify(result)).not.toContain("wrong-secret-77aa")
  expect(JSON.stringify(result)).not.toContain(CLIENT_SECRET)
})
