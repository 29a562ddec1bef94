/** Checks the resources that the service sends, member by member. A resource that fails gets a stand-in that is marked as unreadable. */
import { isTooLarge } from "../../contract/limits.ts"
import type { Approval, Artifact, Attention, InputUpload, Work } from "../../contract/resources.ts"
import { isObject, type Schema, schemaOf } from "./value-schema.ts"

type Kind<Value> = [Value] extends [bigint]
  ? "bigint"
  : [Value] extends [boolean]
    ? "boolean"
    : [Value] extends [string]
      ? "string"
      : never

/** The kind of each member of a resource. A table with a missing member or a wrong kind (`schema.d.ts`) doesn't compile. */
export type Members<Resource> = {
  readonly [Name in keyof Resource]-?: object extends Pick<Resource, Name>
    ? `${Kind<NonNullable<Resource[Name]>>}?`
    : Kind<Resource[Name]>
}

export const WORK_MEMBERS: Members<Work> = {
  id: "string",
  title: "string",
  objective: "string",
  status: "string",
  colleague_id: "string",
  human_owner_id: "string",
  visibility_scope: "string",
  priority: "string",
  due_at: "string?",
  version: "bigint",
  created_by: "string",
  created_at: "string",
  updated_at: "string",
  current_attention_id: "string?",
  attention_question: "string?",
  completion_summary: "string?",
}

export const CLARIFICATION_MEMBERS: Members<Attention> = {
  id: "string",
  work_id: "string",
  kind: "string",
  source_id: "string",
  title: "string",
  what_happened: "string",
  why_needed: "string",
  recommended_action: "string",
  consequences: "string",
  status: "string",
  version: "bigint",
  created_at: "string",
  resolved_at: "string?",
  resolved_by: "string?",
  resolution: "string?",
}

export const APPROVAL_MEMBERS: Members<Approval> = {
  id: "string",
  work_id: "string",
  action_id: "string",
  requested_by_colleague: "string",
  summary: "string",
  risk: "string",
  destination: "string",
  subject: "string",
  body: "string",
  proposed_action_payload_hash: "string",
  policy_reason: "string",
  status: "string",
  version: "bigint",
  created_at: "string",
  resolved_at: "string?",
  resolution_actor: "string?",
  resolution_comment: "string?",
}

export const ARTIFACT_MEMBERS: Members<Artifact> = {
  id: "string",
  work_id: "string",
  path: "string",
  media_type: "string",
  size: "bigint",
  content_hash: "string",
  version: "bigint",
  created_at: "string",
  processing_state: "string?",
  failure_code: "string?",
}

export const UPLOAD_MEMBERS: Members<InputUpload> = {
  id: "string",
  name: "string",
  media_type: "string",
  size: "bigint",
  content_hash: "string",
  status: "string",
  processing_state: "string?",
  failure_code: "string?",
  retryable: "boolean?",
  detected_type: "string?",
  work_id: "string?",
  expires_at: "string",
  created_at: "string",
}

/** The members of any resource. */
type Kinds = Readonly<Record<string, string>>

const hasKind = (value: unknown, kind: string): boolean => typeof value === kind.replace("?", "")

/** Enumerations are only checked to be strings, because an unknown status or priority is shown as it is. */
const isResource = <Resource extends object>(members: Members<Resource> & Kinds, value: unknown): value is Resource =>
  isObject(value) &&
  Object.entries<string>(members).every(([name, kind]) =>
    value[name] === undefined ? kind.endsWith("?") : hasKind(value[name], kind),
  )

/** A schema of a whole resource, for values that the app itself stored. */
export const resourceSchema = <Resource extends object>(members: Members<Resource> & Kinds): Schema<Resource> =>
  schemaOf((value): value is Resource => isResource(members, value))

/** `too large`: an item with more text than the desk accepts. `malformed`: doesn't match openapi.yaml. */
export type Unread = "too large" | "malformed"

/** Why `resource` is only a stand-in; undefined for a resource that was read. */
export function unreadOf(resource: object): Unread | undefined {
  if (!("unread" in resource)) return undefined
  return resource.unread === "too large" ? "too large" : "malformed"
}

/** The members that the desk sends for an item that is too large (`TooLargeItem`). */
const SMALL_MEMBERS: readonly string[] = ["id", "work_id", "status", "version", "created_at"]

/** Checks a JSON value. Undefined if not even a stand-in can be made. */
export type Reader<Resource> = (value: unknown) => Resource | undefined

/**
 * Makes the reader of a resource. An optional member that is null counts as left out. A resource that doesn't match openapi.yaml becomes a stand-in
 * with its readable members and `unread`; without an id it is undefined.
 *
 * @param titled the member that names the resource on the screen, with the name of a stand-in
 */
function readerOf<Resource extends object>(
  members: Members<Resource> & Kinds,
  titled: { readonly [Name in keyof Resource]?: string },
): Reader<Resource> {
  const kinds = Object.entries<string>(members)
  const standIn = (value: Readonly<Record<string, unknown>>, unread: Unread): Resource | undefined => {
    const known = kinds.flatMap(([name, kind]): readonly (readonly [string, unknown])[] => {
      const isKept = unread === "malformed" || SMALL_MEMBERS.includes(name)
      if (isKept && hasKind(value[name], kind)) return [[name, value[name]]]
      return kind.endsWith("?") ? [] : [[name, kind === "bigint" ? 0n : ""]]
    })
    const made: unknown = { ...Object.fromEntries(known), ...titled, unread }
    return isResource(members, made) ? made : undefined
  }
  return (value) => {
    if (!isObject(value) || typeof value["id"] !== "string" || value["id"] === "") return undefined
    if (value["too_large"] === true) return standIn(value, "too large")
    if (value["unread"] !== undefined)
      return standIn(value, value["unread"] === "too large" ? "too large" : "malformed")
    const isNull = ([name, kind]: readonly [string, string]) => value[name] === null && kind.endsWith("?")
    const nulls = kinds.filter(isNull).map(([name]) => name)
    const whole: unknown =
      nulls.length === 0 ? value : Object.fromEntries(Object.entries(value).filter(([name]) => !nulls.includes(name)))
    return isResource(members, whole) ? whole : standIn(value, "malformed")
  }
}

/** Makes the reader of an item, which marks items as too large that the desk would refuse to approve or answer because of their size. */
function itemReaderOf<Item extends object>(read: Reader<Item>): Reader<Item> {
  return (value) => read(isObject(value) && isTooLarge(value) ? { ...value, too_large: true } : value)
}

export const readWork = readerOf(WORK_MEMBERS, { title: "This Work can't be read" })
export const readClarification = itemReaderOf(readerOf(CLARIFICATION_MEMBERS, { title: "This question can't be read" }))
export const readApproval = itemReaderOf(readerOf(APPROVAL_MEMBERS, { summary: "This request can't be read" }))
export const readArtifact = readerOf(ARTIFACT_MEMBERS, { path: "This result can't be read" })

const readAnyUpload = readerOf(UPLOAD_MEMBERS, {})
/** Reads an upload. A malformed upload is of no use to the form, so it has no stand-in. */
export const readUpload: Reader<InputUpload> = (value) => {
  const upload = readAnyUpload(value)
  return upload && unreadOf(upload) === undefined ? upload : undefined
}

/** The resources of a list, and the number of entries without even an id. Undefined if `values` is not a list. */
export function readList<Resource>(
  values: unknown,
  read: Reader<Resource>,
): { readonly data: readonly Resource[]; readonly unread: number } | undefined {
  if (!Array.isArray(values)) return undefined
  const data = values.flatMap((value: unknown) => read(value) ?? [])
  return { data, unread: values.length - data.length }
}
