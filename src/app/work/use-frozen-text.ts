import { useState } from "react"
import type { Work } from "../../contract/resources.ts"

type Text = Pick<Work, "title" | "objective">

/**
 * What a person reads of a Work stays as they began to read it: a changed title or objective waits until it is asked for
 * (design, "What must be true" 2). Everything else is shown as it comes.
 */
export function useFrozenText(work: Work | undefined): {
  readonly shown: Text | undefined
  readonly hasChanged: boolean
  readonly showChange: () => void
} {
  const [shown, setShown] = useState<Text>()
  if (shown === undefined && work !== undefined) setShown(textOf(work))
  const hasChanged =
    work !== undefined && shown !== undefined && (work.title !== shown.title || work.objective !== shown.objective)
  return {
    shown: shown ?? work,
    hasChanged,
    showChange: () => {
      if (work !== undefined) setShown(textOf(work))
    },
  }
}

const textOf = ({ title, objective }: Text): Text => ({ title, objective })
