import { existsSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
import { join } from "node:path"
import { ConfigurationError, isLoopback } from "../../contract/configuration.ts"
import { type IdentityProvider, startIdentityProvider } from "./identity-provider.ts"

/** Roles by the groups of the demonstration's people, and one rule: nobody approves Work of their own. */
const ACCESS = {
  contact: "the demonstration's administrator",
  roles: {
    reader: ["group:staff"],
    answerer: ["group:ops"],
    delegator: ["group:ops"],
    approver: ["group:finance"],
  },
  rules: [{ preventSelfApproval: true }],
}

/** Every variable of sign-in, and the store that several desks share. */
export const PEOPLE_VARIABLES = /^(?:OIDC_.*|PUBLIC_URL|ACCESS_FILE|DESK_DATABASE_URL)$/

/**
 * Starts the demonstration's identity provider, two ports above the desk's, and sets in `env` what a desk needs to sign people in there.
 * The access file is written once, so that a presenter can change it.
 * @throws ConfigurationError where a port is taken
 */
export async function addPeople(
  env: NodeJS.ProcessEnv,
  folder: string,
  told?: (token: string) => void,
): Promise<IdentityProvider> {
  const asked = Number(env["PORT"] || "4400")
  const port = asked === 0 ? await freePort() : asked
  const host = env["HOST"] !== undefined && isLoopback(env["HOST"]) ? env["HOST"] : "127.0.0.1"
  const publicUrl = `http://${host.includes(":") ? `[${host}]` : host}:${port}`
  const providerPort = asked === 0 ? 0 : asked + 2
  const options = { publicUrl, port: providerPort, ...(told === undefined ? {} : { told }) }
  const provider = await startIdentityProvider(options).catch(() => {
    throw new ConfigurationError(`PORT: the identity provider needs port ${providerPort}, which cannot be listened at`)
  })
  const accessFile = join(folder, "access.json")
  if (!existsSync(accessFile)) writeFileSync(accessFile, `${JSON.stringify(ACCESS, undefined, 2)}\n`)
  env["PORT"] = String(port)
  env["PUBLIC_URL"] = publicUrl
  env["OIDC_ISSUER"] = provider.issuer
  env["OIDC_CLIENT_ID"] = provider.clientId
  env["OIDC_CLIENT_SECRET"] = provider.clientSecret
  env["ACCESS_FILE"] = accessFile
  return provider
}

/** The desk's own address has to be known before the desk listens, because the provider redirects to it. */
async function freePort(): Promise<number> {
  const probe = createServer()
  const { promise, resolve } = Promise.withResolvers<void>()
  probe.listen(0, "127.0.0.1", resolve)
  await promise
  const address = probe.address()
  await new Promise((closed) => probe.close(closed))
  return typeof address === "object" && address !== null ? address.port : 0
}
