import { useMutation } from "@tanstack/react-query"
import { useMemo } from "react"
import type { DeskError } from "./desk-error.ts"

type Options<Page> = {
  /** The last page of the list so far. Its `next_cursor` leads to the next page. */
  readonly last: Page | undefined
  readonly read: (cursor: string) => Promise<Page>
  readonly add: (page: Page) => void
}

/** Lets the page after `_last` be asked for once. Not a state: a key and the scrolling may both ask before the next render. */
function createOnce(_last: unknown) {
  let isAsked = false
  return {
    ask: (): boolean => !isAsked && (isAsked = true),
    allowAgain: () => {
      isAsked = false
    },
  }
}

/** Reads the next page of a list, when the person comes near the end of the list. `exists`, `loading` and `error` are for `ListEnd`. */
export function useNextPage<Page extends { readonly next_cursor?: string }>({ last, read, add }: Options<Page>) {
  const once = useMemo(() => createOnce(last), [last])
  const { mutate, variables, isPending, error } = useMutation<
    Page,
    DeskError,
    Options<Page> & { cursor: string; onFailed: () => void }
  >({
    networkMode: "always",
    mutationFn: (wanted) => wanted.read(wanted.cursor),
    onSuccess: (page, wanted) => wanted.add(page),
    onError: (_error, wanted) => {
      wanted.onFailed()
    },
  })
  const isOfThisList = variables !== undefined && variables.last === last
  const cursor = last?.next_cursor
  return {
    load: () => {
      if (cursor !== undefined && once.ask()) mutate({ last, read, add, cursor, onFailed: once.allowAgain })
    },
    exists: cursor !== undefined,
    loading: isPending && isOfThisList,
    error: isOfThisList ? error : null,
  }
}
