import type { ComponentProps, MouseEvent } from "react"
import { useLocation, useNavigate } from "react-router"

type Props = Omit<ComponentProps<"a">, "href"> & {
  /** An address of the app. */
  to: string
}

/**
 * A link within the app. React Router's own `Link` also prefetches and resolves relative addresses. Nothing here uses that, and its code is
 * 3 kB (brotli).
 */
export function Link({ to, onClick, children, ...rest }: Props) {
  const navigate = useNavigate()
  const { pathname, search, hash } = useLocation()
  return (
    <a
      {...rest}
      href={to}
      onClick={(event) => {
        onClick?.(event)
        if (event.defaultPrevented || !opensHere(event)) return
        event.preventDefault()
        void navigate(to, { replace: to === pathname + search + hash })
      }}
    >
      {children}
    </a>
  )
}

/** False where the browser opens another tab or a window, or saves the target. A link within SVG has no `target` that is a text. */
function opensHere({
  button,
  metaKey,
  ctrlKey,
  shiftKey,
  altKey,
  currentTarget,
}: MouseEvent<HTMLAnchorElement>): boolean {
  return (
    button === 0 &&
    !metaKey &&
    !ctrlKey &&
    !shiftKey &&
    !altKey &&
    ["", "_self"].includes(currentTarget.getAttribute("target") ?? "")
  )
}
