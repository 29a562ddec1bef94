import {
  Component,
  type ComponentProps,
  type ComponentType,
  Fragment,
  type ReactNode,
  useEffect,
  useState,
} from "react"
import { flushSync } from "react-dom"
import { Button } from "./button.tsx"
import { Callout, CalloutLine } from "./callout.tsx"
import styles from "./page-parts.module.css"

type Options<Props> = {
  /** Shown while the code is on its way. Without `loading`, nothing is shown. */
  readonly loading?: ComponentType<Props>
  /**
   * Shown where the code did not arrive or failed. `error` is what the code threw; undefined where the code did not arrive, because the words
   * of a browser for that help nobody. Without `missing`, a callout says that the part is missing, and offers `Reload`.
   */
  readonly missing?: ComponentType<Props & { error: unknown }>
}

/** The functions that load the code of the parts, in the order in which the parts were made (shell/load-ahead.ts). */
export const allParts: (() => Promise<void>)[] = []

/** A component whose code is loaded when it is first shown. `load` loads the code before that. */
type Part<Props> = ComponentType<Props> & { readonly load: () => Promise<void> }

/**
 * Makes a component of code that is not in the first load. Where a part cannot be loaded, the rest of the page still works. After an upgrade the
 * files of an older build may be gone, and some browsers ask again for a file that did not arrive only after a reload. With React's `lazy` and
 * `Suspense` the part would appear 300 ms later where a placeholder was shown, because React throttles placeholders.
 *
 * @param name what is missing where the code does not arrive
 */
export function part<Props extends object>(
  name: string,
  load: () => Promise<ComponentType<Props>>,
  { loading: Loading, missing: Missing }: Options<Props> = {},
): Part<Props> {
  let loaded: ComponentType<Props> | undefined
  const loadOnce = async () => {
    loaded ??= await load()
  }
  allParts.push(loadOnce)
  function LoadedPart(props: Props) {
    const [Loaded, setLoaded] = useState(() => loaded)
    const [hasNotArrived, setHasNotArrived] = useState(false)
    useEffect(() => {
      if (Loaded !== undefined) return
      let isLeft = false
      loadOnce().then(
        // Rendered at once: a key between two renderings would reach neither the placeholder nor the part.
        () => isLeft || flushSync(() => setLoaded(() => loaded)),
        () => isLeft || setHasNotArrived(true),
      )
      return () => {
        isLeft = true
      }
    }, [Loaded])
    const replace = (error: unknown) =>
      Missing === undefined ? <MissingPart name={name} /> : <Missing error={error} {...props} />
    if (hasNotArrived) return replace(undefined)
    if (Loaded === undefined) return Loading === undefined ? null : <Loading {...props} />
    return (
      <Boundary replace={replace}>
        <Loaded {...props} />
      </Boundary>
    )
  }
  return Object.assign(LoadedPart, { load: loadOnce })
}

/** Shown as `missing` for a part that nobody misses. */
export const Nothing = (): null => null

/** Says that a part is missing, and offers to load the page again. */
export function MissingPart({ name }: { name: string }) {
  return (
    <div className={styles["missing"]}>
      <ReloadCallout announce="alert" tone="bad" icon="warning">
        “{name}” couldn't be loaded. What you typed is kept.
      </ReloadCallout>
    </div>
  )
}

/** A callout with a button that loads the page again. */
export function ReloadCallout({ children, ...callout }: ComponentProps<typeof Callout>) {
  return (
    <Callout {...callout} compact>
      {children}
      <CalloutLine>
        <ReloadButton />
      </CalloutLine>
    </Callout>
  )
}

/** A button that loads the page again. */
export function ReloadButton() {
  return (
    <Button size="small" onClick={() => location.reload()}>
      Reload
    </Button>
  )
}

type BoundaryProps = {
  /** What is shown in place of the children after an error. */
  readonly replace: (error: unknown) => ReactNode
  /** When `of` changes, the boundary forgets the error and shows the children again. */
  readonly of?: string
  readonly children: ReactNode
}
type BoundaryState = {
  readonly failure: { readonly error: unknown } | undefined
  readonly of: string | undefined
  /** How often the children were drawn anew. */
  readonly redraws: number
}

/** A person who has the page translated gets a new drawing so often. */
const REDRAWS_MAX = 20

/** React found a text no longer where it put it, because the browser or an extension replaced it (docs/decisions/07-no-translation.md). */
const isForeignChange = (error: unknown) => error instanceof DOMException && error.name === "NotFoundError"

/** Keeps the rest of the app working when its children throw. Where the browser has changed what they drew, they are drawn anew. */
export class Boundary extends Component<BoundaryProps, BoundaryState> {
  override state: BoundaryState = { failure: undefined, of: this.props.of, redraws: 0 }

  static getDerivedStateFromError(error: unknown): Partial<BoundaryState> {
    return { failure: { error } }
  }

  static getDerivedStateFromProps({ of }: BoundaryProps, state: BoundaryState): Partial<BoundaryState> | null {
    return of === state.of ? null : { failure: undefined, of, redraws: 0 }
  }

  override componentDidCatch(error: unknown) {
    const { redraws } = this.state
    if (isForeignChange(error) && redraws < REDRAWS_MAX) this.setState({ failure: undefined, redraws: redraws + 1 })
  }

  override render() {
    const { failure, redraws } = this.state
    if (failure === undefined) return <Fragment key={redraws}>{this.props.children}</Fragment>
    return this.props.replace(failure.error)
  }
}
