import { useMutation } from "@tanstack/react-query"
import { useEffect, useRef } from "react"
import type { DeskError } from "./desk-error.ts"

type Options<Page> = {
  /** The last page of the list so far. Its `next_cursor` leads to the next page. */
  readonly last: Page | undefined
  readonly read: (cursor: string) => Promise<Page>
  readonly add: (page: Page) => void
}

/** Reads the next page of a list, when the person comes near the end of the list. `exists`, `loading` and `error` are for `ListEnd`. */
export function useNextPage<Page extends { readonly next_cursor?: string }>({ last, read, add }: Options<Page>) {
  /** The page whose next page was asked for. A key and the scrolling may both ask before the next render. */
  const asked = useRef<Page>(undefined)
  useEffect(() => {
    if (asked.current !== last) asked.current = undefined
  }, [last])
  const { mutate, variables, isPending, error } = useMutation<Page, DeskError, Options<Page> & { cursor: string }>({
    networkMode: "always",
    mutationFn: (wanted) => wanted.read(wanted.cursor),
    onSuccess: (page, wanted) => wanted.add(page),
    onError: () => {
      asked.current = undefined
    },
  })
  const isOfThisList = variables !== undefined && variables.last === last
  const cursor = last?.next_cursor
  return {
    load: () => {
      if (cursor === undefined || asked.current === last) return
      asked.current = last
      mutate({ last, read, add, cursor })
    },
    exists: cursor !== undefined,
    loading: isPending && isOfThisList,
    error: isOfThisList ? error : null,
  }
}
