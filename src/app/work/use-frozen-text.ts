import { useState } from "react"
import type { Work } from "../../contract/resources.ts"

type Text = Pick<Work, "title" | "objective">

/** Freezes the title and the objective of a Work while a person reads them. A change is shown when the person asks for it. */
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
