import { EICAR } from "../src/service/demonstration.ts"
import { expect, expectAccessible, test } from "./fixtures.ts"
import { choose, create, file, fill, row } from "./new-work-verbs.ts"

test.beforeEach(({ page }) => fill(page, "Review it", "editor"))

// Written in two halves where a virus scanner would otherwise take this file away.

test("each state of an upload is shown with its word and its codes", async ({ page, relay }) => {
  await choose(
    page,
    file("ready.md", "# Ready"),
    file("virus.txt", EICAR),
    file("stale-signatures.md", "# Stale"),
    file("blocked.txt", "policy:block"),
  )
  await expect(row(page, "ready.md")).toContainText("Ready")
  await expect(row(page, "virus.txt")).toContainText(/Failed.*quarantined.*malware_detected/s)
  await expect(row(page, "virus.txt").getByRole("button", { name: /Scan again/ })).toHaveCount(0)
  await expect(row(page, "stale-signatures.md")).toContainText(/Scan failed.*scan_failed.*stale_signatures/s)
  await expect(row(page, "blocked.txt").getByRole("alert")).toContainText("Request ID")
  await expect(row(page, "blocked.txt").getByRole("alert")).toContainText("data policy blocks this file")
  await expect(create(page)).toBeDisabled()
  await expectAccessible(page)

  await page.getByRole("button", { name: "Scan again stale-signatures.md" }).click()
  await expect(row(page, "stale-signatures.md").getByText("Ready")).toBeVisible()
  await page.getByRole("button", { name: "Remove virus.txt" }).click()
  await expect(create(page)).toBeDisabled()
  await page.getByRole("button", { name: "Remove blocked.txt" }).click()
  await expect(create(page)).toBeEnabled()
  const keys = relay.mutations().map(({ key }) => key)
  expect(new Set(keys).size).toBe(keys.length)
})

test("what the service would refuse is said before anything is sent, with how many bytes too many", async ({
  page,
  relay,
}) => {
  await choose(page, file("full.txt", "x".repeat(102_400)), file("over.txt", "x".repeat(102_401)))
  await expect(row(page, "full.txt").getByText("Ready")).toBeVisible()
  await expect(row(page, "over.txt").getByRole("alert")).toContainText("1 byte too many")
  await choose(page, file("two-byte.txt", "é".repeat(51_201)), file("empty.csv", ""), file("fifth.csv", "a"))
  await expect(row(page, "two-byte.txt").getByRole("alert")).toContainText("2 bytes too many")
  await expect(row(page, "empty.csv").getByRole("alert")).toContainText("empty")
  await expect(page.getByRole("alert").filter({ hasText: "fifth.csv" })).toContainText("4 files at most")
  await page.getByRole("button", { name: "Remove over.txt" }).click()
  await page.getByRole("button", { name: "Remove two-byte.txt" }).click()
  await choose(page, file("latin1.csv", Buffer.from([0x61, 0xe9])), file("photo.png", Buffer.from([0x89, 0x50])))
  await expect(row(page, "latin1.csv").getByRole("alert")).toContainText("not UTF-8")
  await expect(row(page, "photo.png").getByRole("alert")).toContainText("of another kind")
  expect(relay.mutations()).toHaveLength(1)
  await expect(create(page)).toBeDisabled()
})

test("contents and names arrive as the exact bytes that they are", async ({ page, relay }) => {
  const contents = {
    "bom\u0301 é 😀.csv": '\uFEFFa,b\r\n1,"x\r\ny"\n',
    "bidi \u202Eabc.md": "שלום \u202Eabc\u202C \u200B\u2028",
    "control.txt": "a\0b\u0001\u007F\t\v",
  }
  await choose(page, ...Object.entries(contents).map(([name, content]) => file(name, content)))
  await expect(page.getByText("Ready", { exact: true })).toHaveCount(3)
  const sent = relay.mutations().map(({ body }) => JSON.parse(body) as { name: string; content: string })
  expect(Object.fromEntries(sent.map(({ name, content }) => [name, content]))).toEqual(contents)
  await expect(row(page, "control.txt").getByLabel("Media type")).toHaveValue("text/plain")
})

test("dropped files become inputs, and the browser does not open them", async ({ page }) => {
  await page.evaluate(() => {
    const data = new DataTransfer()
    data.items.add(new File(["a,b"], "dropped.csv"))
    document.body.dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true }))
  })
  await expect(row(page, "dropped.csv").getByText("Ready")).toBeVisible()
  expect(new URL(page.url()).pathname).toBe("/work/new")
})

test("what is pasted outside a field is shown first, and sent at Add as input", async ({ page, relay }) => {
  const paste = (text: string, file?: string) =>
    page.evaluate(
      ([text = "", file]) => {
        const data = new DataTransfer()
        if (file !== undefined) data.items.add(new File([text], file))
        else data.setData("text/plain", text)
        document.body.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true }))
      },
      [text, file],
    )
  await paste('{"password": 1}')
  const pasted = page.getByRole("status").filter({ hasText: "Pasted" })
  await expect(pasted).toContainText('{"password": 1}')
  await expectAccessible(page)
  await pasted.getByRole("button", { name: "Discard" }).click()
  await expect(pasted).toHaveCount(0)
  expect(relay.mutations()).toHaveLength(0)

  await paste('{"a": 1}')
  await paste("a,b", "clip.csv")
  await paste("half \uD800 of a pair")
  expect(relay.mutations()).toHaveLength(0)
  await pasted.getByRole("button", { name: "Add as input" }).click()
  await expect(row(page, "pasted.json").getByText("Ready")).toBeVisible()
  await expect(row(page, "clip.csv").getByText("Ready")).toBeVisible()
  await expect(row(page, "pasted.txt").getByRole("alert")).toContainText("half of a surrogate pair")
  expect(relay.mutations()).toHaveLength(2)
})
