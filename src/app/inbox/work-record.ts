import type { RecordPage } from "../../contract/desk-work.ts"
import { deskQuery } from "../client/desk-request.ts"
import { LIST_PACE, pollInterval } from "../client/polling.ts"
import { answerWith } from "../client/value-schema.ts"
import { workKey } from "../client/work-reads.ts"

/** The record entries of one Work, newest first. */
export const workRecordOptions = (workId: string) =>
  deskQuery(
    [...workKey(workId), "record"],
    `/desk/record?${new URLSearchParams({ work: workId, limit: "100" })}`,
    answerWith<RecordPage>("data"),
    { refetchInterval: pollInterval(LIST_PACE) },
  )
