/** Makes the `People` of people-interface.ts: with sign-in, or with the one person of local mode. */
import type { OperationId } from "../../contract/resources.ts"
import { operationsOf, roleFor, ROLES } from "../../contract/roles.ts"
import { Refused } from "../../platform/http/send.ts"
import { formatRoleRequest } from "./role-request.ts"
import { type Access, emptyRules, namesGroups, parseAccess, rolesOf } from "./access-file.ts"
import type { SignInConfiguration } from "./sign-in-configuration.ts"
import { cookiesOf, hashSecret, readCookie } from "./cookies.ts"
import type { People, Session } from "./people-interface.ts"
import { findScopeFault } from "./provider/provider-scopes.ts"
import { Provider, PROVIDER_SECONDS } from "./provider/provider.ts"
import type { StoredSession } from "./session-rows.ts"
import { Sessions } from "./sessions.ts"
import { codesIn } from "./sign-in-failures.ts"
import { SignIn } from "./sign-in.ts"
import { type Database, StoreUnavailableError } from "../store/database.ts"
import { inBackground } from "../../platform/background.ts"
import type { RereadFiles } from "../../platform/reread-files.ts"
import { noRole } from "./people-refusals.ts"
import { roleMissing, signedOut, storeUnavailable } from "../../platform/http/refusals.ts"

export type PeopleOptions = {
  readonly configuration: SignInConfiguration
  readonly database: Database
  /** The path below PUBLIC_URL that the provider sends the browser back to. */
  readonly callbackPath: string
  /** Called with a sentence for the administrator. The sentence holds no secret. */
  readonly warn: (message: string) => void
  /** Reads the access file again. The caller stops it. */
  readonly files: RereadFiles
  /** How long the desk waits for one answer of the provider, in seconds. */
  readonly providerSeconds?: number
}

/** Opens sign-in, also while the provider doesn't answer. @throws ConfigurationError when a file of the configuration cannot be used */
export function openPeople(options: PeopleOptions): People {
  const { configuration, database, callbackPath, files, warn, providerSeconds = PROVIDER_SECONDS } = options
  const access = files.follow("ACCESS_FILE", configuration.accessFile, (text) => {
    const parsed = parseAccess(text)
    for (const sentence of emptyRules(parsed)) warn(`ACCESS_FILE: ${sentence}`)
    return parsed
  })
  const provider = new Provider({ ...configuration, seconds: providerSeconds })
  const sessions = new Sessions(database, configuration, (identity) => rolesOf(access(), identity).length > 0)
  const cookies = cookiesOf(configuration.publicUrl)
  const callback = new URL(callbackPath, configuration.publicUrl)

  inBackground(async () => {
    try {
      const { metadata } = await provider.discovered()
      const fault = findScopeFault({ ...configuration, needsGroups: namesGroups(access()) }, metadata)
      if (fault !== undefined) warn(`${fault.found}: ${fault.change}`)
    } catch (error) {
      warn(`The identity provider can't be used yet: ${codesIn(error)}`)
    }
  })
  const sessionOf = sessionMaker(access, configuration.groupsClaim)
  const sessionIdIn = (header: string | undefined) => {
    const value = readCookie(header, cookies.session)
    return value === undefined ? undefined : hashSecret(value)
  }
  const findSession = async (sessionId: string | undefined) => {
    try {
      const stored = sessionId === undefined ? undefined : await sessions.find(sessionId)
      return stored === undefined ? signedOut : sessionOf(stored)
    } catch (error) {
      if (error instanceof StoreUnavailableError) return storeUnavailable(error.logCause)
      throw error
    }
  }
  return {
    mode: "sign-in",
    issuer: configuration.issuer,
    sessionIdIn,
    findSession,
    identify: (header) => findSession(sessionIdIn(header)),
    current(session) {
      const stored = sessions.cached(session.id)
      return stored === undefined ? session : sessionOf(stored)
    },
    async checkStored(store, { id }, operation) {
      const stored = await sessions.readAgain(store, id)
      if (stored === undefined) throw new Refused(signedOut)
      const session = sessionOf(stored)
      checkRole(session.person, operation, access())
      return session
    },
    checkRole: ({ person }, operation) => checkRole(person, operation, access()),
    access,
    onSessionEnd: ({ id }, ended) => sessions.onEnd(id, ended),
    countSessions: () => sessions.count(),
    signIn: new SignIn({ configuration, provider, database, sessions, cookies, callback, access }),
    stop: () => sessions.stop(),
  }
}

/** The people of local mode: one person, who may do everything. */
export function localPeople(): People {
  const access: Access = {
    contact: null,
    roles: { reader: [], answerer: [], delegator: [], approver: [] },
    rules: [],
  }
  const session: Session = {
    id: "local",
    person: { id: "local", name: "local", roles: ROLES, operations: operationsOf(ROLES) },
    identity: { issuer: "local", subject: "local", groups: [] },
    authenticatedAt: undefined,
    endsAt: null,
  }
  return {
    mode: "local",
    issuer: undefined,
    sessionIdIn: () => undefined,
    findSession: () => Promise.resolve(session),
    identify: () => Promise.resolve(session),
    current: () => session,
    checkStored: (_, stored) => Promise.resolve(stored),
    checkRole: () => undefined,
    access: () => access,
    onSessionEnd: () => () => undefined,
    countSessions: () => Promise.resolve(0),
    signIn: undefined,
    stop: () => undefined,
  }
}

/** Makes sessions with the roles of the current access file. A session is reused until the stored session or the access file changes. */
function sessionMaker(currentAccess: () => Access, claim: string): (stored: StoredSession) => Session {
  const made = new WeakMap<StoredSession, { readonly access: Access; readonly session: Session }>()
  return (stored) => {
    const access = currentAccess()
    const before = made.get(stored)
    if (before?.access === access) return before.session
    const { id, personId, name, identity, authenticatedAt, endsAt } = stored
    const roles = rolesOf(access, identity)
    const { email } = identity
    const person = {
      id: personId,
      name,
      ...(email === undefined ? {} : { email }),
      roles,
      operations: operationsOf(roles),
    }
    const roleRequest = roles.length === 0 ? formatRoleRequest(stored, claim) : undefined
    const session = { id, person, identity, roleRequest, authenticatedAt, endsAt }
    made.set(stored, { access, session })
    return session
  }
}

function checkRole(person: Session["person"], operation: OperationId | undefined, { contact }: Access): void {
  if (person.roles.length === 0) throw new Refused(noRole(contact))
  if (operation !== undefined && !person.operations.includes(operation))
    throw new Refused(roleMissing(roleFor(operation), contact))
}
