import { useEffect, useRef, useState } from "react"
import { DeskError } from "../client/desk-error.ts"
import { Button } from "../ui/button.tsx"
import { ErrorAlert } from "../ui/error-alert.tsx"
import { saveFile } from "../ui/save-file.ts"
import { exportRecord, type RecordQuery } from "./record-queries.ts"

/** Saves everything that matches the filters as JSON Lines. */
export function RecordExport({ query }: { query: RecordQuery }) {
  const [isReading, setIsReading] = useState(false)
  const [error, setError] = useState<DeskError>()
  const leaving = useRef<AbortController>(undefined)
  useEffect(() => () => leaving.current?.abort(), [])
  const save = async () => {
    const { signal } = (leaving.current = new AbortController())
    setIsReading(true)
    setError(undefined)
    try {
      const content = await exportRecord(query, signal)
      saveFile(content, `workdesk-record-${new Date().toISOString().slice(0, 10)}.jsonl`)
    } catch (cause) {
      if (cause instanceof DeskError) setError(cause)
      else if (!signal.aborted) throw cause
    } finally {
      setIsReading(false)
    }
  }
  return (
    <>
      <Button disabled={isReading} onClick={() => void save()}>
        {isReading ? "Reading the record" : "Export JSON Lines"}
      </Button>
      {error && <ErrorAlert error={error} compact />}
    </>
  )
}
