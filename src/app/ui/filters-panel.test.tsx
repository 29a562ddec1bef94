import { cleanup, fireEvent, render, screen } from "@testing-library/react"
import { useState } from "react"
import { afterEach, expect, test } from "vitest"
import { activeFilter, FiltersPanel } from "./filters-panel.tsx"
import { Choice } from "./list-fields.tsx"

afterEach(cleanup)

const choices = [["high", "High"]] as const

function Filtered() {
  const [priority, setPriority] = useState<"high" | undefined>()
  return (
    <>
      <FiltersPanel active={activeFilter("Priority", priority, choices, () => setPriority(undefined))}>
        <Choice name="Priority" value={priority} none="Any" choices={choices} onChange={setPriority} />
      </FiltersPanel>
      <input aria-label="Elsewhere" />
    </>
  )
}

const button = (name: string) => screen.getByRole("button", { name })
const panel = () => screen.queryByRole("region", { name: "Filters" })

test("the panel is in the page only while it is open, and what is chosen in it acts at once", () => {
  render(<Filtered />)
  expect(panel()).toBeNull()
  expect(screen.queryByRole("combobox")).toBeNull()
  fireEvent.click(button("Filter"))
  expect(panel()).not.toBeNull()
  fireEvent.change(screen.getByRole("combobox", { name: "Priority" }), { target: { value: "high" } })
  expect(button("Filter 1").getAttribute("aria-expanded")).toBe("true")
  fireEvent.click(button("Filter 1"))
  expect(panel()).toBeNull()
})

test("a chip removes its filter, and the focus stays at the filters", () => {
  render(<Filtered />)
  fireEvent.click(button("Filter"))
  fireEvent.change(screen.getByRole("combobox", { name: "Priority" }), { target: { value: "high" } })
  fireEvent.click(button("Remove filter: Priority High"))
  expect(screen.queryByRole("button", { name: /Remove filter/ })).toBeNull()
  expect(document.activeElement).toBe(button("Filter"))
})

test("Escape closes the panel from its controls and from the page, but not from another field", () => {
  render(<Filtered />)
  for (const from of [() => screen.getByRole("combobox"), () => document.body]) {
    fireEvent.click(button("Filter"))
    fireEvent.keyDown(from(), { key: "Escape" })
    expect(panel()).toBeNull()
    expect(document.activeElement).toBe(button("Filter"))
  }
  fireEvent.click(button("Filter"))
  fireEvent.keyDown(screen.getByLabelText("Elsewhere"), { key: "Escape" })
  expect(panel()).not.toBeNull()
})
