import type { ComponentProps } from "react"
import { useHref, useLinkClickHandler } from "react-router"

type Props = Omit<ComponentProps<"a">, "href"> & {
  /** An address of the app. */
  to: string
  /** Takes the place of the present entry in the history; left out, it does where the address is the present one. */
  replace?: boolean
}

/**
 * A link within the app. React Router's own `Link` brings the code that prefetches for its framework mode: 3 kB brotli of the first
 * load, which nothing here can use.
 */
export function Link({ to, replace, onClick, children, ...rest }: Props) {
  const navigate = useLinkClickHandler(to, replace === undefined ? {} : { replace })
  return (
    <a
      {...rest}
      href={useHref(to)}
      onClick={(event) => {
        onClick?.(event)
        if (!event.defaultPrevented) navigate(event)
      }}
    >
      {children}
    </a>
  )
}
