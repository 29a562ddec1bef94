/** What the form of new Work is filled from: a Work, or a declined Work with the change that was asked for. */
import { type QueryClient, queryOptions, type UseQueryOptions } from "@tanstack/react-query"
import type { WorkInputs } from "../../contract/desk-work.ts"
import { UPLOAD_MEDIA_TYPES } from "../../contract/limits.ts"
import type { InputUpload, Work } from "../../contract/resources.ts"
import { PRIORITIES } from "../../contract/work-order.ts"
import type { DeskError } from "../client/desk-error.ts"
import { readDesk, writePath } from "../client/desk-request.ts"
import { unreadOf } from "../client/check-resource.ts"
import { answerWith } from "../client/value-schema.ts"
import { approvalsOptions, workOptions } from "../client/work-reads.ts"
import { approvalIntents } from "../inbox/item-entries.ts"
import type { ReadInput } from "./read-input-file.ts"
import { uploadOptions } from "./input-uploads.ts"
import { type DraftInput, VISIBILITY_SCOPES, type WorkDraft } from "./work-draft.ts"

export type Prefilled = {
  readonly fields: Partial<WorkDraft>
  /** Inputs that come to the draft's own: uploads that are ready. */
  readonly inputs?: readonly DraftInput[]
  /** Takes the place of the draft's inputs. */
  readonly file?: ReadInput
  /** The title of the Work that the fields are from. */
  readonly fromTitle?: string
  /** Values of the other Work that the form doesn't offer: `priority “asap”`. */
  readonly unknown?: readonly string[]
}

export type FormQuery = UseQueryOptions<Prefilled, DeskError>

const formQuery = (key: readonly string[], read: (client: QueryClient) => Promise<Prefilled>) =>
  queryOptions<Prefilled, DeskError>({
    queryKey: ["new-work-form", ...key],
    queryFn: ({ client }) => read(client),
    // The next time the form is filled anew.
    gcTime: 0,
  })

export const fromWork = (id: string): FormQuery =>
  formQuery([id], async (client) => {
    const work = await client.fetchQuery(workOptions(id))
    const filled = unreadOf(work) === undefined ? fieldsOf(work) : { fields: {} }
    return { ...filled, fromTitle: work.title }
  })

/** Fills the form from a Work of which an approval was declined. The comment of the decline says which change is wanted. */
export const fromDeclined = (id: string, approvalId: string): FormQuery =>
  formQuery([id, approvalId], async (client) => {
    const [work, approvals, files] = await Promise.all([
      client.fetchQuery(workOptions(id)),
      client.fetchQuery(approvalsOptions(id)),
      readFiles(client, id),
    ])
    const declined = approvals.find((approval) => approval.id === approvalId)
    // A service need not give the comment back. Then only the browser that sent the decline knows it.
    const change = declined?.resolution_comment ?? approvalIntents(id, approvalId).read()?.input.text ?? ""
    const { title, objective } = work
    const { fields, unknown } = fieldsOf(work)
    const again = { workId: id, title, lostFiles: files?.lost, unknown: [...unknown] }
    return {
      fields: { ...fields, objective: withChange(objective, change), again },
      inputs: files?.usable ?? [],
      fromTitle: title,
    }
  })

/** The objective, and below it the wanted change, quoted. */
export function withChange(objective: string, change: string): string {
  if (change === "") return objective
  const quoted = change.split(/\r\n|\r|\n/).map((line) => `> ${line}`)
  return `${objective}\n\nWhat should be different:\n${quoted.join("\n")}`
}

/** The inputs of a Work that can be attached once more, and the names of the others. Undefined where the desk does not know the inputs. */
async function readFiles(client: QueryClient, workId: string) {
  const address = writePath("/desk/work/{id}/inputs", { id: workId })
  // An older desk has no such address.
  const { inputs } = await readDesk(address, answerWith<WorkInputs>()).catch((): WorkInputs => ({}))
  if (inputs === undefined) return undefined
  const usable: DraftInput[] = []
  const lost: string[] = []
  for (const { upload: uploadId, name = "a file with an unknown name" } of inputs) {
    // Nobody but the person who sent a file can read its upload.
    const upload = await client.fetchQuery(uploadOptions(uploadId)).catch((): InputUpload | undefined => undefined)
    if (upload?.status === "ready") usable.push(inputOf(upload))
    else lost.push(upload?.name ?? name)
  }
  return { usable, lost }
}

const inputOf = ({ id: uploadId, name, media_type: sent, size }: InputUpload): DraftInput => ({
  id: crypto.randomUUID(),
  name,
  bytes: Number(size),
  mediaType: UPLOAD_MEDIA_TYPES.find((type) => type === sent),
  uploadId,
})

/** The fields of the form for a Work. A priority becomes `normal` and a visibility `private` if the form doesn't offer the Work's value. */
function fieldsOf(work: Work) {
  const priority = PRIORITIES.find((choice) => choice === work.priority)
  const visibility = VISIBILITY_SCOPES.find((choice) => choice === work.visibility_scope)
  const fields: Partial<WorkDraft> = {
    colleague: work.colleague_id,
    objective: work.objective,
    title: work.title,
    priority: priority ?? "normal",
    visibility: visibility ?? "private",
    due: dueOf(work.due_at),
  }
  const unknown = [
    ...(priority === undefined ? [`priority “${work.priority}”`] : []),
    ...(visibility === undefined ? [`visibility “${work.visibility_scope}”`] : []),
  ]
  return { fields, unknown }
}

/** A due time in the form of a `datetime-local` control; empty where there is none, or where it is past. */
function dueOf(dueAt: string | undefined): string {
  const moment = new Date(dueAt ?? "")
  if (Number.isNaN(moment.getTime()) || moment.getTime() < Date.now()) return ""
  const local = new Date(moment.getTime() - moment.getTimezoneOffset() * 60_000)
  return local.toISOString().slice(0, 16)
}
