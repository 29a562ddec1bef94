import type { ComponentProps, MouseEvent } from "react"
import { useLocation, useNavigate } from "react-router"

type Props = Omit<ComponentProps<"a">, "href"> & {
  /** An address of the app. */
  to: string
  /** Takes the place of the present entry in the history; left out, it does where the address is the present one. */
  replace?: boolean
}

/**
 * A link within the app. React Router's own `Link` and the hooks behind it bring code that prefetches for its framework mode and resolves
 * relative addresses, which nothing here uses: 3 kB brotli of the first load.
 */
export function Link({ to, replace, onClick, children, ...rest }: Props) {
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
        void navigate(to, { replace: replace ?? to === pathname + search + hash })
      }}
    >
      {children}
    </a>
  )
}

/** False where the browser opens another tab or a window, or saves the target. */
function opensHere({
  button,
  metaKey,
  ctrlKey,
  shiftKey,
  altKey,
  currentTarget,
}: MouseEvent<HTMLAnchorElement>): boolean {
  return button === 0 && !metaKey && !ctrlKey && !shiftKey && !altKey && ["", "_self"].includes(currentTarget.target)
}
