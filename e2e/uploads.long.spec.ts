import { UPLOAD_MAX_BYTES } from "../src/contract/limits.ts"
import { EICAR } from "../src/service/demonstration.ts"
import { expect, expectAccessible, test } from "./fixtures.ts"
import { choose, create, file, fill, row } from "./new-work-verbs.ts"

test.beforeEach(({ page }) => fill(page, "Review it", "editor"))

test("429 says when the upload can be sent again, and then it has the same key", async ({ page, relay }) => {
  relay.fail("POST", /\/uploads$/, { kind: "refuse", status: 429, code: "RATE", headers: { "retry-after": "2" } }, 1)
  await choose(page, file("late.csv", "a,b\n1,2\n"))
  await expect(row(page, "late.csv").getByRole("alert")).toContainText(/You can send it in/)
  const again = row(page, "late.csv").getByRole("button", { name: "Send again" })
  await expect(again).not.toHaveAttribute("aria-disabled", "true")
  await again.click()
  await expect(row(page, "late.csv").getByText("Ready")).toBeVisible()
  const [first, second] = relay.mutations()
  expect(second?.key).toBe(first?.key)
})

test("the scan is asked for at growing intervals, and not at once", async ({ page, relay }) => {
  test.slow()
  await choose(page, file("slow-scan.csv", "a,b\n1,2\n"))
  await expect(row(page, "slow-scan.csv")).toContainText("Being scanned")
  await expect(row(page, "slow-scan.csv").getByText("Ready")).toBeVisible({ timeout: 20_000 })
  const looks = relay.passed.filter(({ method, path }) => method === "GET" && path.includes("/uploads/")).length
  expect(looks).toBeGreaterThan(2)
  expect(looks).toBeLessThan(12)
})

test("a kind that the name does not say is chosen by the person; another kind is another intent", async ({
  page,
  relay,
}) => {
  await choose(page, file("LICENSE", "Do as you like."), file("notes.txt", "# Notes"))
  await expect(row(page, "LICENSE")).toContainText("Not sent: choose its type")
  await expect(create(page)).toBeDisabled()
  await row(page, "LICENSE").getByLabel("Media type").selectOption("text/plain")
  await row(page, "notes.txt").getByLabel("Media type").selectOption("text/markdown")
  await expect(page.getByText("Ready", { exact: true })).toHaveCount(2)
  await create(page).click()
  await page.waitForURL(/\/work\/(?!new)/)
  const [uploads, work] = [relay.mutations().slice(0, -1), relay.mutations().at(-1)]
  const last = uploads.filter(({ body }) => body.includes("notes.txt")).at(-1)
  expect(last?.body).toContain("text/markdown")
  expect(new Set(uploads.map(({ key }) => key)).size).toBe(uploads.length)
  const { id } = JSON.parse(last?.answer ?? "{}") as { id: string }
  expect(JSON.parse(work?.body ?? "{}")).toMatchObject({ input_upload_ids: [expect.any(String), id] })
})

test("an upload that a reload cuts off is unknown, and is sent again once", async ({ page, relay }) => {
  relay.fail("POST", /\/uploads$/, { kind: "hold" }, 1)
  await choose(page, file("held.csv", "a,b\n1,2\n"))
  await expect.poll(() => relay.mutations().length).toBe(1)
  await page.reload()
  await row(page, "held.csv").getByRole("button", { name: "Send again" }).click()
  await expect(row(page, "held.csv").getByText("Ready")).toBeVisible()
  relay.release()
  expect(new Set(relay.mutations().map(({ key }) => key)).size).toBe(1)
})

test("a new scan has a new key each time, and keeps it while its outcome is unknown", async ({ page, relay }) => {
  await choose(page, file("stale-signatures.csv", "a,b\n1,2\n"))
  relay.fail("POST", /\/retry$/, { kind: "cut" }, 1)
  await page.getByRole("button", { name: "Scan again stale-signatures.csv" }).click()
  await expect(row(page, "stale-signatures.csv").getByRole("alert")).toContainText("Outcome unknown")
  await row(page, "stale-signatures.csv").getByRole("button", { name: "Send again" }).click()
  await expect(row(page, "stale-signatures.csv").getByText("Ready")).toBeVisible()
  const scans = relay.mutations().filter(({ path }) => path.endsWith("/retry"))
  expect(scans).toHaveLength(2)
  expect(scans[1]?.key).toBe(scans[0]?.key)
})

test("the inputs belong to the browser: another tab shows them, and sends nothing again", async ({ page, relay }) => {
  await choose(page, file("shared.csv", "a,b\n1,2\n"))
  await expect(row(page, "shared.csv").getByText("Ready")).toBeVisible()
  const other = await page.context().newPage()
  await other.goto("/work/new")
  await expect(row(other, "shared.csv").getByText("Ready")).toBeVisible()
  await other.getByRole("button", { name: "Remove shared.csv" }).click()
  await expect(row(page, "shared.csv")).toHaveCount(0)
  expect(relay.mutations()).toHaveLength(1)
})

test("an upload whose answer is lost stays, and is sent again under its key", async ({ page, relay }) => {
  relay.fail("POST", /\/uploads$/, { kind: "lose-answer" }, 1)
  await choose(page, file("lost.csv", "a,b\n1,2\n"))
  const alert = row(page, "lost.csv").getByRole("alert")
  await expect(alert).toContainText("Outcome unknown")
  await expectAccessible(page)
  await page.reload()
  await alert.getByRole("button", { name: "Send again" }).click()
  await expect(row(page, "lost.csv").getByText("Ready")).toBeVisible()
  const [first, second] = relay.mutations()
  expect(second?.key).toBe(first?.key)
  expect(second?.status).toBe(200)
  expect(second?.answer).toBe(first?.answer)
})

test("the browser keeps as many and as large files as a Work can have", async ({ page }) => {
  // Each line end takes two characters in the storage.
  const names = ["one.txt", "two.txt", "three.txt", "four.txt"]
  await choose(page, ...names.map((name) => file(name, "\n".repeat(UPLOAD_MAX_BYTES))))
  for (const name of names) await expect(row(page, name).getByText("Ready")).toBeVisible()
  await expect(page.getByText(/you'll lose this file if you reload this page/)).toHaveCount(0)
  await page.reload()
  await row(page, "four.txt").getByLabel("Media type").selectOption("text/markdown")
  await expect(row(page, "four.txt").getByText("Ready")).toBeVisible()
})

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
  await expect(row(page, "blocked.txt").getByRole("alert")).toContainText("data policy blocks it")
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
  await expect(row(page, "over.txt").getByRole("alert")).toContainText("1 byte too large")
  await choose(page, file("two-byte.txt", "é".repeat(51_201)), file("empty.csv", ""), file("fifth.csv", "a"))
  await expect(row(page, "two-byte.txt").getByRole("alert")).toContainText("2 bytes too large")
  await expect(row(page, "empty.csv").getByRole("alert")).toContainText("empty")
  await expect(page.getByRole("alert").filter({ hasText: "fifth.csv" })).toContainText("at most 4 files")
  await page.getByRole("button", { name: "Remove over.txt" }).click()
  await page.getByRole("button", { name: "Remove two-byte.txt" }).click()
  await choose(page, file("latin1.csv", Buffer.from([0x61, 0xe9])), file("photo.png", Buffer.from([0x89, 0x50])))
  await expect(row(page, "latin1.csv").getByRole("alert")).toContainText("isn't UTF-8")
  await expect(row(page, "photo.png").getByRole("alert")).toContainText("It isn't CSV")
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

test("a pasted file is attached at once, and a text that is pasted outside a field does nothing", async ({
  page,
  relay,
}) => {
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
  // A clipboard may hold a password. The file that follows shows that the paste before it was handled.
  await paste('{"password": 1}')
  await paste("a,b", "clip.csv")
  await expect(row(page, "clip.csv").getByText("Ready")).toBeVisible()
  await expect(page.getByRole("listitem").filter({ hasText: "pasted" })).toHaveCount(0)
  expect(relay.mutations()).toHaveLength(1)
})

for (const way of ["dropped", "pasted"] as const) {
  test(`two files that are ${way} at once are attached, and a fifth and one that is too large are refused`, async ({
    page,
    relay,
  }) => {
    const attach = (...files: readonly (readonly [name: string, bytes: number])[]) =>
      page.evaluate(
        ([isDropped, given]) => {
          const data = new DataTransfer()
          for (const [name, bytes] of given) data.items.add(new File(["x".repeat(bytes)], name))
          const bubbles = { bubbles: true, cancelable: true }
          document.body.dispatchEvent(
            isDropped
              ? new DragEvent("drop", { dataTransfer: data, ...bubbles })
              : new ClipboardEvent("paste", { clipboardData: data, ...bubbles }),
          )
        },
        [way === "dropped", files] as const,
      )
    await attach(["one.txt", 1], ["two.txt", 2])
    await expect(row(page, "one.txt").getByText("Ready")).toBeVisible()
    await expect(row(page, "two.txt").getByText("Ready")).toBeVisible()
    await attach(["over.txt", 102_401], ["four.txt", 4], ["fifth.txt", 5])
    await expect(row(page, "over.txt").getByRole("alert")).toContainText("1 byte too large")
    await expect(row(page, "four.txt").getByText("Ready")).toBeVisible()
    await expect(page.getByRole("alert").filter({ hasText: "fifth.txt" })).toContainText("at most 4 files")
    await expect(create(page)).toBeDisabled()
    expect(relay.mutations()).toHaveLength(3)
  })
}
