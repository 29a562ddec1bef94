import { useEffect } from "react"

let page = ""
let prefix = ""

const write = () => {
  document.title = `${prefix}${page === "" ? "" : `${page} · `}Workdesk`
}

/** Names the page in the browser's tab: "Approvals · Workdesk". */
export function usePageTitle(title: string): void {
  useEffect(() => {
    page = title
    write()
  }, [title])
}

/** Puts what waits for the person before every page's title: `(3)`, `(3+)`, or nothing. For the shell alone. */
export function setTitlePrefix(count: string): void {
  prefix = count === "" ? "" : `(${count}) `
  write()
}
