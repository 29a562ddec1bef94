/** Reads the members that decide who sees a Work, from answers that a client gets as the upstream sent them. */
import * as v from "valibot"
import { parseExact } from "../../contract/int64.ts"
import { readTime } from "../../contract/waiting-change.ts"
import { isObject, type JsonObject } from "../../platform/http/json-object.ts"
import { isAddressable } from "../../platform/http/path-match.ts"
import type { AskedApproval } from "../people/rules/rules.ts"
import type { ListedWork } from "./read-resources.ts"

/** The members of a Work that decide who sees it. */
export type WorkForVisibility = Pick<ListedWork, "id" | "scope" | "colleague" | "createdAt" | "status">

const optionalLenientText = v.fallback(v.optional(v.string()), undefined)
const lenientList = v.fallback(v.array(v.unknown()), [])

/** Reads what decides who sees a Work. A missing member, or one that isn't a text, conceals it. `otherId` replaces a missing id. */
export function readWorkForVisibility(work: JsonObject, otherId: string): WorkForVisibility {
  return {
    id: textOr(otherId, work["id"]),
    scope: textOr("", work["visibility_scope"]),
    colleague: textOr("", work["colleague_id"]),
    createdAt: readTime(textOr("", work["created_at"])),
    status: textOr("", work["status"]),
  }
}

const textOr = (other: string, member: unknown) => (typeof member === "string" ? member : other)

/** A Work of a page of listWork. JSON.stringify writes `value` as the upstream wrote it: the same numbers, the members in the same order. */
export type WorkOnPage = WorkForVisibility & { readonly value: object }

const pageForVisibility = v.object({ data: lenientList, next_cursor: optionalLenientText })

/** Reads a page of listWork as `readWorkForVisibility` reads a Work. `entryCount` also counts entries that aren't objects. Undefined if the body isn't an object. */
export function readPageForVisibility(
  body: string,
): { readonly works: readonly WorkOnPage[]; readonly entryCount: number; readonly nextCursor?: string } | undefined {
  const page = parseExactObject(body)
  if (page === undefined) return undefined
  const { data, next_cursor: nextCursor } = v.parse(pageForVisibility, page)
  const works = data.filter(isObject)
  return {
    works: works.map((value) => ({ ...readWorkForVisibility(value, ""), value })),
    entryCount: data.length,
    ...(nextCursor !== undefined && { nextCursor }),
  }
}

const pendingForVisibility = v.object({
  status: v.literal("pending"),
  destination: v.string(),
  requested_by_colleague: v.string(),
})

/** The pending approvals of an answer to listWorkApprovals, as the rules look at them. */
export function readPendingForVisibility(list: object): readonly AskedApproval[] {
  return v.parse(pageForVisibility, list).data.flatMap((value) => {
    const { success, output } = v.safeParse(pendingForVisibility, value)
    return success ? [{ destination: output.destination, colleague: output.requested_by_colleague }] : []
  })
}

/** Done Work has no pending approvals, and the approvals of a Work that no address can hold cannot be read. */
export const mayHavePendingApprovals = ({ id, status }: WorkForVisibility) => status !== "done" && isAddressable(id)

function parseExactObject(body: string): object | undefined {
  try {
    const value = parseExact(body)
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}
