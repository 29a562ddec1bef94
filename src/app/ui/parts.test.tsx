import { QueryClient, QueryClientProvider, useQuery } from "@tanstack/react-query"
import { cleanup, fireEvent, render, screen, waitFor, within } from "@testing-library/react"
import { useState } from "react"
import { afterEach, expect, test, vi } from "vitest"
import { DeskError, unreachable } from "../client/desk-error.ts"
import { setOwner } from "../client/storage.ts"
import { CharacterCount } from "./field.tsx"
import { Dialog } from "./dialog.tsx"
import { ErrorAlert, ReadError } from "./error-alert.tsx"
import { MixedScripts } from "./mixed-scripts.tsx"
import { OutsideText } from "./outside-text.tsx"
import { part } from "./part.tsx"
import { RelativeTime } from "./clocks.tsx"
import { useShortcuts } from "./shortcuts.ts"
import { WorkStatusMark } from "./status.tsx"

setOwner("local")
afterEach(() => {
  cleanup()
  vi.useRealTimers()
})

test("a hidden character stands alone in an element that shows its code point, and markup stays text", () => {
  render(<OutsideText>{"a\u202E<b>x</b>"}</OutsideText>)
  expect(screen.getByText("U+202E").tagName).toBe("SPAN")
  const outside = screen.getByText(/<b>x<\/b>/)
  expect(outside.tagName).toBe("BDI")
  expect(outside.getAttribute("dir")).toBe("auto")
  expect(outside.textContent).toBe("aU+202E<b>x</b>")
})

test("mixed scripts are named, and nothing is said where there are none", () => {
  const { container, rerender } = render(<MixedScripts text="plain" />)
  expect(container.textContent).toBe("")
  rerender(<MixedScripts text={"p\u0430ypal"} />)
  expect(container.textContent).toContain("Mixed scripts: Latin, Cyrillic")
})

test("an unknown status is shown as it is", () => {
  const { container } = render(
    <QueryClientProvider client={new QueryClient()}>
      <WorkStatusMark work={{ id: "work_1", status: "working" }} />
      <WorkStatusMark work={{ id: "work_1", status: "constructor" }} />
    </QueryClientProvider>,
  )
  expect(container.textContent).toBe("Workingconstructor")
})

test("an error is an alert with the words of the Problem, our words, what was kept and the request id to copy", async () => {
  const error = new DeskError({
    kind: "problem",
    status: 429,
    title: "Slow down",
    detail: "Too many <b>reads</b>",
    code: "RATE_LIMITED",
    requestId: "req_1",
    retryable: true,
    retryAt: Date.now() + 12_000,
  })
  render(<ErrorAlert error={error} kept="The list stays." retryAt={error.retryAt} />)
  const alert = screen.getByRole("alert")
  expect(alert.textContent).toContain("Slow down")
  expect(alert.textContent).toContain("Too many <b>reads</b>")
  expect(alert.textContent).toContain("The list stays.")
  await expect.poll(() => alert.textContent).toMatch(/will try again in 1[123] s/)
  expect(alert.textContent).toContain("Request ID req_1")
  expect(within(alert).getByRole("button", { name: "Copy Request ID" })).toBeTruthy()
})

test("a failed read counts down in seconds also after somebody has set the machine's clock", async () => {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 60 * 60_000 })
  render(
    <QueryClientProvider client={new QueryClient()}>
      <FailedRead />
    </QueryClientProvider>,
  )
  const alert = await screen.findByRole("alert")
  await expect.poll(() => alert.textContent).toMatch(/will try again in [45] s/)
})

function FailedRead() {
  const { error } = useQuery<never, DeskError>({
    queryKey: ["failing"],
    queryFn: () => Promise.reject(unreachable()),
    retry: false,
  })
  return error && <ReadError error={error} compact onRetry={() => undefined} />
}

test("where the code of a part does not arrive, its stand-in still knows the part's own error", async () => {
  const Details = part<{ error: Error }>("Details", () => Promise.reject(new Error("Unable to preload CSS")), {
    missing: ({ error }) => <p>{error.message}</p>,
  })
  render(<Details error={new Error("The service refused")} />)
  expect(await screen.findByText("The service refused")).toBeTruthy()
})

test("a count says by how much a text is too long", () => {
  const { container, rerender } = render(<CharacterCount count={131} limit={4000} />)
  expect(container.textContent).toBe("131 / 4,000")
  rerender(<CharacterCount count={4002} limit={4000} />)
  expect(container.textContent).toContain("2 characters too many")
})

test("a time shows the exact moment on hover, focus and touch, and a text that is not a time is shown as it is", async () => {
  const { container } = render(
    <>
      <RelativeTime at={new Date(Date.now() - 5 * 60_000).toISOString()} />
      <RelativeTime at="next \u202Emoon" />
    </>,
  )
  const time = container.querySelector("time")
  expect(time?.textContent).toBe("5 min ago")
  expect(screen.queryByRole("tooltip")).toBeNull()
  fireEvent.focus(time ?? container)
  expect(screen.getByRole("tooltip").textContent).toMatch(/20\d\d.*:\d\d:\d\d/)
  fireEvent.blur(time ?? container)
  expect(screen.queryByRole("tooltip")).toBeNull()
  fireEvent.click(time ?? container)
  expect(screen.getByRole("tooltip").textContent).toMatch(/20\d\d.*:\d\d:\d\d/)
  fireEvent.blur(time ?? container)
  await waitFor(() => expect(time?.getAttribute("title")).toMatch(/20\d\d.*:\d\d:\d\d/))
  expect(container.textContent).toContain("next")
})

function Keys({ act }: { act: (key: string) => void }) {
  useShortcuts({ j: () => act("j"), "?": () => act("?"), "mod+Enter": () => act("mod+Enter") })
  return (
    <>
      <input aria-label="field" />
      <input aria-label="box" type="checkbox" />
      <textarea aria-label="area" />
    </>
  )
}

test("typing never triggers a shortcut; a combination with Ctrl or ⌘ does", () => {
  const act = vi.fn<(key: string) => void>()
  render(<Keys act={act} />)
  for (const name of ["field", "area"]) {
    fireEvent.keyDown(screen.getByLabelText(name), { key: "j" })
    fireEvent.keyDown(screen.getByLabelText(name), { key: "?", shiftKey: true })
  }
  expect(act).not.toHaveBeenCalled()
  fireEvent.keyDown(screen.getByLabelText("area"), { key: "Enter", ctrlKey: true })
  fireEvent.keyDown(screen.getByLabelText("box"), { key: "j" })
  fireEvent.keyDown(document.body, { key: "J", shiftKey: false })
  fireEvent.keyDown(document.body, { key: "?", shiftKey: true })
  expect(act.mock.calls.flat()).toEqual(["mod+Enter", "j", "j", "?"])
  for (const event of [
    { key: "j", repeat: true },
    { key: "J", shiftKey: true },
    { key: "j", altKey: true },
    { key: "j", ctrlKey: true },
  ])
    fireEvent.keyDown(document.body, event)
  expect(act).toHaveBeenCalledTimes(4)
})

function Opener({ onCancel }: { onCancel: () => void }) {
  const [open, setOpen] = useState(false)
  return (
    <>
      <button type="button" onClick={() => setOpen(true)}>
        Open
      </button>
      <Keys act={onCancel} />
      {open && (
        <Dialog title="Sure?" onCancel={() => setOpen(false)}>
          <button type="button" data-autofocus>
            Yes
          </button>
        </Dialog>
      )}
    </>
  )
}

test("a dialog has a name, takes the focus, blocks the keys of the page and gives the focus back", () => {
  const act = vi.fn<() => void>()
  render(<Opener onCancel={act} />)
  const opener = screen.getByRole("button", { name: "Open" })
  opener.focus()
  fireEvent.click(opener)
  const dialog = screen.getByRole("dialog", { name: "Sure?" })
  expect(document.activeElement?.textContent).toBe("Yes")
  fireEvent.keyDown(document.body, { key: "j" })
  expect(act).not.toHaveBeenCalled()
  fireEvent(dialog, new Event("cancel", { cancelable: true }))
  expect(screen.queryByRole("dialog")).toBeNull()
  expect(document.activeElement).toBe(opener)
})
