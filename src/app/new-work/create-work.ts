import { useQueryClient } from "@tanstack/react-query"
import { Link, useNavigate } from "react-router"
import { array, bigint, boolean, exactOptional, type InferOutput, object, picklist, string } from "valibot"
import { stringifyJson } from "../../contract/int64.ts"
import type { Work } from "../../contract/resources.ts"
import { PRIORITIES } from "../../contract/work-order.ts"
import { api } from "../client/api.ts"
import type { DeskError, Failure } from "../client/desk-error.ts"
import { confirmedOf, useIntent } from "../client/send-intent.ts"
import { defineKind, useEntry, useKept } from "../client/storage.ts"
import { defineIntents } from "../client/stored-intent.ts"
import { relatedKey, workKey, workListKey } from "../client/work-reads.ts"
import { workAddress } from "../inbox/addresses.ts"
import { Button } from "../ui/button.tsx"
import { Callout, CalloutLine } from "../ui/callout.tsx"
import { type ErrorWords, isDesksOwn, wordsFor } from "../ui/error-words.tsx"
import { IntentCallout } from "../ui/intent-callout.tsx"
import { lookUp } from "../ui/look-up.ts"
import { OutsideText } from "../ui/outside-text.tsx"
import { rememberColleague } from "./form-fields.tsx"
import {
  changeWorkDraft,
  type DelegateRequest,
  type DraftProblem,
  type FieldName,
  readWorkDraft,
  requestOf,
  VISIBILITY_SCOPES,
  workDraft,
  type WorkDraft,
} from "./work-draft.ts"
import { type Input, isPending, isStuck } from "./input-states.ts"
import { forgetInput, uploadsKey } from "./uploads.ts"
import styles from "./new-work.module.css"

type CreatedWork = Pick<Work, "id" | "title">

const createIntents = defineIntents<readonly [draftId: string], DelegateRequest, CreatedWork>({
  name: "create-intent",
  // The members have the order of `requestOf`, because two requests are compared as JSON.
  input: object({
    colleague_id: string(),
    objective: string(),
    title: exactOptional(string()),
    priority: exactOptional(picklist(PRIORITIES)),
    visibility_scope: exactOptional(picklist(VISIBILITY_SCOPES)),
    due_at: exactOptional(string()),
    active_execution_limit_seconds: exactOptional(bigint()),
    input_upload_ids: exactOptional(array(string())),
    insteadOf: exactOptional(string()),
  }),
  result: object({ id: string(), title: string() }),
})

const isFormOpen = (): boolean => location.pathname === "/work/new"

/** Gives the id of the colleague whom a text in the field `Colleague` names. */
type ColleagueOf = (text: string) => string

/**
 * Creates the Work of a draft, once. When the service has answered with the Work, the draft, its uploads and its key are removed,
 * and the app shows the Work if the form is still open.
 */
export function useCreateWork(draft: WorkDraft, request: DelegateRequest, colleagueOf: ColleagueOf) {
  const client = useQueryClient()
  const navigate = useNavigate()
  const entry = createIntents(draft.id)
  const sendCreate = async (input: DelegateRequest, key: string) => {
    const { insteadOf, ...body } = input
    const confirmed = await confirmedOf(
      api.POST("/api/v1/work", {
        params: { header: { "Idempotency-Key": key } },
        headers: insteadOf === undefined ? {} : { "desk-instead-of": insteadOf },
        body,
      }),
    ).catch((error: unknown) => {
      // The refusal may concern an upload that was used, or that expired, after it was read last.
      void client.invalidateQueries({ queryKey: uploadsKey })
      throw error
    })
    const work = confirmed.data
    client.setQueryData(workKey(work.id), work)
    void client.invalidateQueries({ queryKey: workListKey })
    if (insteadOf !== undefined) void client.invalidateQueries({ queryKey: relatedKey(insteadOf) })
    rememberColleague(input.colleague_id)
    const draftStays = removeSent(draft.id, input, colleagueOf)
    entry.remove()
    if (draftStays || !isFormOpen()) {
      createdWork().write({ workId: work.id, title: work.title, replayed: confirmed.replayed, draftStays })
    }
    if (isFormOpen()) void navigate(workAddress(work.id))
    return confirmed
  }

  const stored = useEntry(entry)
  /** Whether the form still holds the request that was sent. */
  const unchanged = stored !== undefined && stringifyJson(stored.input) === stringifyJson(request)
  const { intent, send, sendAgain } = useIntent(entry, sendCreate)
  const create = () => {
    // Another tab may have created the Work a moment ago, and this tab may not have rendered the change yet.
    if (readWorkDraft().id === draft.id) send(request)
  }
  return { intent, unchanged, create, sendAgain }
}

/**
 * Removes the draft whose Work was created from the request `sent`, with its uploads. The person can change the form after an unknown outcome.
 * A field that was changed, or an input that was not sent, is no part of the Work, and stays as a new draft.
 *
 * @returns whether a draft stays
 */
function removeSent(draftId: string, sent: DelegateRequest, colleagueOf: ColleagueOf): boolean {
  const draft = readWorkDraft()
  // Another tab has begun a new draft already.
  if (draft.id !== draftId) return false
  const { input_upload_ids: attached = [], ...fields } = sent
  const unsent = draft.inputs.filter(({ uploadId }) => uploadId === undefined || !attached.includes(uploadId))
  for (const input of draft.inputs) if (!unsent.includes(input)) forgetInput(input)
  const colleague = draft.colleague === undefined ? sent.colleague_id : colleagueOf(draft.colleague)
  const isChanged = stringifyJson(requestOf({ ...draft, inputs: [] }, colleague)) !== stringifyJson(fields)
  if (isChanged || unsent.length > 0)
    changeWorkDraft(() => ({ id: crypto.randomUUID(), inputs: unsent, again: undefined }))
  else workDraft().remove()
  return isChanged || unsent.length > 0
}

type OutcomeProps = {
  work: ReturnType<typeof useCreateWork>
  /** Why the Work cannot be sent again for now. */
  whyNotAgain?: string | undefined
}

/** The state of the request to create the Work: under way, refused or unknown. */
export function CreateOutcome({ work: { intent, unchanged, sendAgain }, whyNotAgain }: OutcomeProps) {
  const isKept = useKept(workDraft()) === "stored"
  const error = intent !== undefined && "error" in intent ? intent.error : undefined
  const words = error && createWords(error, intent?.input.insteadOf !== undefined)
  const kept = isKept ? "Everything you entered is kept." : undefined
  return (
    <IntentCallout
      intent={intent}
      sending="Creating the Work…"
      unknown="the Work may or may not have been created."
      words={words}
      kept={kept}
      keptUnknown={kept}
      onSendAgain={sendAgain}
      whyNotAgain={whyNotAgain}
      againNote={
        !unchanged && (
          <span className="small">
            This sends the Work as it was before your changes. Your changes stay here as a new draft.
          </span>
        )
      }
    />
  )
}

const byCode: Readonly<Record<string, ErrorWords>> = {
  IDEMPOTENCY_CONFLICT: {
    happened: "The key of this request belongs to another request.",
    toDo: "Create the Work again. It is then sent under a new key.",
  },
  INPUT_NOT_READY: {
    happened: "No Work was created: a file is still being scanned.",
    toDo: "Create the Work again when its scan is over.",
  },
  INPUT_SCAN_FAILED: {
    happened: "No Work was created: a file did not pass its scan.",
    toDo: "Scan it again or remove it, then create the Work again.",
  },
}

const byFailure: Readonly<Partial<Record<Failure, ErrorWords>>> = {
  invalid: {
    happened: "No Work was created: the service did not accept an entry.",
    toDo: "Change it, then create again.",
  },
  "not-visible": {
    happened: "No Work was created: the colleague, or a file, is not there or not visible to this account.",
    toDo: "Choose another colleague, then create again.",
  },
  conflict: {
    happened: "No Work was created: a file was used meanwhile, or has expired.",
    toDo: "Send the file again or remove it, then create the Work again.",
  },
  blocked: {
    happened: "No Work was created: your organization's data policy blocks the objective or a file.",
    toDo: "Change the blocked text or file, then create again.",
  },
  "too-many": {
    happened: "No Work was created. The service asks for a pause: too many requests in a short time.",
    toDo: "Create the Work again when the pause is over.",
  },
  "no-capacity": {
    happened: "No Work was created: the service has no room now.",
    toDo: "Create the Work again in a while.",
  },
}

const linkRefused: ErrorWords = {
  happened:
    "No Work was created: the Work that it takes the place of, the colleague, or a file, is not visible to you.",
  toDo: "Remove the link, choose another colleague or remove the file, then create again.",
}

/** Plain words for a createWork that did not succeed, by its code, else by its failure; undefined where the general words fit. */
function createWords(error: DeskError, hasLink: boolean): ErrorWords | undefined {
  if (error.kind !== "problem") return undefined
  if (hasLink && error.failure === "not-visible") return linkRefused
  if (isDesksOwn(error)) {
    const { happened, toDo } = wordsFor(error)
    return { happened: `No Work was created. ${happened}`, toDo }
  }
  return lookUp(byCode, error.code) ?? (error.failure && byFailure[error.failure])
}

const fieldWords: Readonly<Record<FieldName, string>> = {
  colleague: "The colleague",
  objective: "The objective",
  title: "The title",
  due: "The due date",
  timeLimit: "The time limit",
}

/**
 * Why the Work cannot be created now, in sentences; undefined where it can. A missing value is said at its field when the person tries.
 *
 * @param isReading true while a chosen file is still being read
 */
export function whyNotCreated(
  problems: readonly DraftProblem[],
  inputs: readonly Input[],
  isReading: boolean,
): string | undefined {
  const wrong = problems.filter(({ missing }) => !missing)
  const sentences = wrong.map(({ field, sentence }) => `${fieldWords[field]}: ${sentence}`)
  const namesWhere = (applies: (input: Input) => boolean) => inputs.filter(applies).map(({ draft }) => draft.name)
  const [stuck, pending] = [namesWhere(isStuck), namesWhere(isPending)]
  if (isReading) sentences.push("Not yet: a file is still being read.")
  if (pending.length > 0)
    sentences.push(`Not yet: ${pending.join(", ")} ${pending.length === 1 ? "is" : "are"} still being sent or scanned.`)
  if (stuck.length > 0)
    sentences.push(`Not ready: ${stuck.join(", ")}. The line of each file says what you can do, or remove the file.`)
  return sentences.length === 0 ? undefined : sentences.join(" ")
}

/** A Work that was created while the person was not at the form, or without what they changed meanwhile. */
const created = object({
  workId: string(),
  title: string(),
  replayed: boolean(),
  /** Whether the form holds changes that the person made after sending. They are not part of the Work. */
  draftStays: boolean(),
})

type Created = InferOutput<typeof created>

/** Kept until the person dismisses the callout, at most 30 days. */
const createdWork = defineKind<readonly [], Created>({
  name: "created-work",
  version: 2,
  schema: created,
  keptDays: 30,
})

/** Says on the form that a Work was created meanwhile. */
export function CreatedCallout() {
  const created = useEntry(createdWork())
  const dismiss = () => createdWork().remove()
  if (created === undefined) return null
  return (
    <Callout announce="status" tone="good" icon="done">
      <div>
        {createdWords(created)}{" "}
        <Link to={workAddress(created.workId)} className={styles["link"]} onClick={dismiss}>
          <OutsideText>{created.title}</OutsideText>
        </Link>
      </div>
      <CalloutLine>
        <Button size="small" onClick={dismiss}>
          Dismiss
        </Button>
      </CalloutLine>
    </Callout>
  )
}

function createdWords({ draftStays, replayed }: Created): string {
  if (draftStays)
    return "What you changed after sending is kept below as a new draft. This Work was created without it:"
  return replayed ? "This Work was already recorded:" : "While you were away this Work was created:"
}
