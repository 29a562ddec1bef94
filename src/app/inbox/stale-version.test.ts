import { act, renderHook } from "@testing-library/react"
import { describe, expect, it } from "vitest"
import { useFrozen } from "./stale-version.ts"

type Letter = { readonly version: bigint; readonly body: string }
type Props = { latest: Letter | undefined; refusedVersion?: bigint; snapshot?: Letter }

const letter = (version: bigint): Letter => ({ version, body: `As of ${String(version)}` })
const render = (initialProps: Props) =>
  renderHook(({ latest, refusedVersion, snapshot }: Props) => useFrozen(latest, { refusedVersion, snapshot }), {
    initialProps,
  })

describe("what a person reads", () => {
  it("stays when a newer version comes, until the person asks for it", () => {
    const { result, rerender } = render({ latest: letter(3n) })
    rerender({ latest: letter(4n) })
    expect(result.current).toMatchObject({ shown: letter(3n), newer: letter(4n), before: undefined })
    act(() => result.current?.showNewer())
    expect(result.current).toMatchObject({ shown: letter(4n), newer: undefined, before: letter(3n) })
  })

  it("stays when it is gone, and when an answer brings an older version", () => {
    const { result, rerender } = render({ latest: letter(3n) })
    rerender({ latest: undefined })
    expect(result.current).toMatchObject({ shown: letter(3n), newer: undefined })
    rerender({ latest: letter(2n) })
    expect(result.current).toMatchObject({ shown: letter(3n), newer: undefined })
  })

  it("is replaced once the service has refused it, and by nothing after that", () => {
    const { result, rerender } = render({ latest: letter(3n) })
    rerender({ latest: letter(3n), refusedVersion: 3n })
    expect(result.current).toMatchObject({ shown: letter(3n) })
    rerender({ latest: letter(4n), refusedVersion: 3n })
    expect(result.current).toMatchObject({ shown: letter(4n), before: letter(3n) })
    rerender({ latest: letter(5n), refusedVersion: 3n })
    expect(result.current).toMatchObject({ shown: letter(4n), newer: letter(5n) })
  })

  it("is compared with what was on the screen before a reload", () => {
    const { result } = render({ latest: letter(5n), refusedVersion: 3n, snapshot: letter(3n) })
    expect(result.current).toMatchObject({ shown: letter(5n), before: letter(3n) })
  })

  it("has versions beyond 2^53 that stay exact", () => {
    const { result, rerender } = render({ latest: letter(9_007_199_254_740_993n) })
    rerender({ latest: letter(9_007_199_254_740_994n) })
    expect(result.current?.newer?.version).toBe(9_007_199_254_740_994n)
  })
})
