import { artifacts, dialog, openWork, preview } from "./artifact-verbs.ts"
import { expect, expectAccessible, test } from "./fixtures.ts"

test.use({ deskOptions: { upstream: "artifacts" } })

const MARKDOWN = `# Profile of **october.csv**

<script>window.ran = "markdown"</script>
<img src="https://evil.example/pixel.png" onerror="window.ran = 'onerror'">

A [link](https://evil.example/link), a [worse one](javascript:window.ran='href'), ![alt](https://evil.example/image.png),
https://evil.example/auto and <https://evil.example/angle>.

| column | mean |
|---|---:|
| amount &amp; tax | 12.5 |

- [x] done
- \`code\`

> quoted \u202Eevitpeced\u202C

~~~js
window.ran = "code"
~~~
`

const SVG = `<svg xmlns="http://www.w3.org/2000/svg" width="120" height="60" onload="window.ran = 'svg'">
<script>window.ran = "svg"; fetch("https://evil.example/svg")</script>
<image href="https://evil.example/svg.png" width="10" height="10"/>
<rect width="120" height="60" fill="teal"/></svg>`

test("hostile results run nothing, load nothing and link nowhere", async ({ page, artifactUpstream, desk }) => {
  artifactUpstream.results = [
    { path: "profile.md", mediaType: "text/markdown", content: MARKDOWN },
    { path: "chart.svg", mediaType: "image/svg+xml", content: SVG },
    {
      path: "formula.csv",
      mediaType: "text/csv",
      content: "name,cell\n=cmd|'/C calc'!A0,<b onclick=window.ran=1>x</b>\n",
    },
    { path: "page.html", mediaType: "text/html", content: "<script>window.ran = 'html'</script>" },
    { path: "lie.md", mediaType: "text/markdown", content: "<svg onload=window.ran=2><script>window.ran=3</script>" },
    { path: "lie.png", mediaType: "image/png", content: "<html><script>window.ran=4</script>" },
    { path: "lie.json", mediaType: "application/json", content: "<script>window.ran=5</script>" },
    { path: "binary.txt", mediaType: "text/plain", content: Buffer.from([0xff, 0xfe, 0x00, 0x61]) },
    {
      path: "object.json",
      mediaType: "application/json",
      content: '{"__proto__":{"x":1},"<img src=x onerror=window.ran=6>":"javascript:1"}',
    },
  ]
  const elsewhere: string[] = []
  page.on("request", (request) => {
    const { origin, protocol } = new URL(request.url())
    if (origin !== desk.url && protocol !== "blob:") elsewhere.push(request.url())
  })
  await openWork(page)

  await preview(page, "profile.md")
  await expect(dialog(page).getByRole("heading", { name: "Profile of october.csv" })).toBeVisible()
  await expect(dialog(page).getByRole("cell", { name: "amount & tax" })).toBeVisible()
  await expect(dialog(page)).toContainText("https://evil.example/link")
  await expect(dialog(page)).toContainText("U+202E")
  await expect(dialog(page).locator("a, img, script, iframe, form, object, embed")).toHaveCount(0)
  await expectAccessible(page)
  await page.keyboard.press("Escape")
  await expect(dialog(page)).toBeHidden()
  await expect(page.getByRole("button", { name: "Preview profile.md" })).toBeFocused()

  await preview(page, "chart.svg")
  const image = dialog(page).getByRole("img", { name: "chart.svg" })
  await expect.poll(() => image.evaluate((element: HTMLImageElement) => element.naturalWidth)).toBe(120)
  await page.keyboard.press("Escape")

  await preview(page, "formula.csv")
  await expect(dialog(page).getByRole("cell", { name: "=cmd|'/C calc'!A0" })).toBeVisible()
  await expect(dialog(page).getByRole("cell", { name: "<b onclick=window.ran=1>x</b>" })).toBeVisible()
  await expectAccessible(page)
  await page.keyboard.press("Escape")

  await preview(page, "lie.md")
  await expect(dialog(page)).toContainText("<svg onload=window.ran=2>")
  await page.keyboard.press("Escape")
  await preview(page, "lie.png")
  await expect(dialog(page)).toContainText("This browser can't show this image")
  await page.keyboard.press("Escape")
  await preview(page, "lie.json")
  await expect(dialog(page)).toContainText("<script>window.ran=5</script>")
  await page.keyboard.press("Escape")
  await preview(page, "binary.txt")
  await expect(dialog(page)).toContainText("isn't UTF-8 text")
  await page.keyboard.press("Escape")
  await preview(page, "object.json")
  await expect(dialog(page)).toContainText("<img src=x onerror=window.ran=6>")
  await expect(dialog(page)).toContainText("__proto__")
  await expectAccessible(page)
  await page.keyboard.press("Escape")

  await expect(page.getByRole("button", { name: "Preview page.html" })).toHaveCount(0)
  await expect(page.getByRole("button", { name: "Download page.html" })).toBeVisible()
  expect(elsewhere).toEqual([])
  expect(await page.evaluate(() => "ran" in window)).toBe(false)
  expect(new URL(page.url()).pathname).toBe("/work/work_1")
})

test("a text shows what cannot be seen, and a wrong one is not shown at all", async ({ page, artifactUpstream }) => {
  artifactUpstream.results = [
    { path: "seen.txt", mediaType: "text/plain", content: "ad\u200Bmin\r\n\u202Etxet\0" },
    { path: "wrong.txt", mediaType: "text/plain", content: "changed", hash: `sha256:${"0".repeat(64)}` },
    { path: "flood.txt", mediaType: "text/plain", content: "\u200B\u2060".repeat(50_000) },
  ]
  await openWork(page)
  await preview(page, "seen.txt")
  for (const point of ["U+200B", "U+202E", "U+0000"]) await expect(dialog(page)).toContainText(point)
  await page.keyboard.press("Escape")
  await preview(page, "wrong.txt")
  await expect(dialog(page).getByRole("alert")).toContainText("has the wrong hash")
  await expect(dialog(page)).not.toContainText("changed")
  await page.keyboard.press("Escape")
  await preview(page, "flood.txt")
  await expect(dialog(page)).toContainText("too many hidden characters")
  await page.keyboard.press("Escape")
  await expect(dialog(page)).toBeHidden()
})

test("a hostile result is text with a sentence, and the page answers meanwhile", async ({ page, artifactUpstream }) => {
  const row = (cell: string) => `|${`${cell}|`.repeat(500)}\n`
  artifactUpstream.results = [
    // The parser takes a minute and 4 GB for it.
    { path: "wide.md", mediaType: "text/markdown", content: `${row("a")}${row("-")}${row("b").repeat(44)}` },
    { path: "deep.json", mediaType: "application/json", content: `${"[".repeat(200_000)}${"]".repeat(200_000)}` },
    { path: "unclosed.csv", mediaType: "text/csv", content: 'id,name\n"1,Ana\n2,Ben\n' },
  ]
  await openWork(page)
  await preview(page, "wide.md")
  // The page answers keys while the worker is busy.
  await page.keyboard.press("Escape")
  await expect(dialog(page)).toBeHidden()
  await preview(page, "wide.md")
  await expect(dialog(page)).toContainText("so it's shown as text.")
  await expect(dialog(page).getByRole("region", { name: "Text" })).toContainText("|a|a|a|")
  await page.keyboard.press("Escape")
  await preview(page, "deep.json")
  await expect(dialog(page)).toContainText("so it's shown as text.")
  await page.keyboard.press("Escape")
  await preview(page, "unclosed.csv")
  await expect(dialog(page)).toContainText("A quotation mark in row 1 is never closed")
})

test("a preview whose code does not arrive leaves the Work's page as it is, and offers a reload", async ({
  page,
  artifactUpstream,
}) => {
  // A small result would be read with the page.
  artifactUpstream.results = [{ path: "profile.md", content: `# Profile\n${"x".repeat(100_000)}` }]
  await openWork(page)
  await expect(artifacts(page).getByRole("button", { name: "Preview profile.md" })).toBeVisible()
  await page.route(/\/assets\/(?!index-).*\.js$/, (route) => route.fulfill({ status: 404 }))
  await artifacts(page).getByRole("button", { name: "Preview profile.md" }).click()
  const alert = page.getByRole("alert").filter({ hasText: "couldn't be loaded" })
  await expect(alert.getByRole("button", { name: "Reload" })).toBeVisible()
  await expect(artifacts(page).getByRole("button", { name: "Download profile.md" })).toBeVisible()
})

test("a table of many columns is scrolled, and its words are not broken", async ({ page, artifactUpstream }) => {
  const row = (cell: string) => `|${`${cell}|`.repeat(12)}\n`
  const content = `${row("Missing values")}${row("-")}${row("distinguished")}\n|${"x".repeat(400)}|\n|-|\n|y|\n`
  artifactUpstream.results = [{ path: "profile.md", mediaType: "text/markdown", content }]
  await openWork(page)
  await preview(page, "profile.md")
  const cell = dialog(page).getByRole("cell", { name: "distinguished" }).first()
  const lines = (node: Element) => {
    const range = document.createRange()
    range.selectNodeContents(node)
    return new Set(Array.from(range.getClientRects(), ({ bottom }) => Math.round(bottom))).size
  }
  expect(await cell.evaluate(lines)).toBe(1)
  const header = dialog(page).getByRole("columnheader", { name: "Missing values" }).first()
  expect(await header.evaluate(lines)).toBeLessThanOrEqual(2)
  // A word that is too long for any window is broken, so that the other columns stay close.
  const long = dialog(page).getByRole("columnheader", { name: "xxxx" })
  expect(await long.evaluate(lines)).toBeGreaterThan(1)
  const widths = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth])
  expect(widths[0]).toBe(widths[1])
})

test("the first results stand on the page with their beginning, and the dialog has Download, Previous and Next", async ({
  page,
  artifactUpstream,
}) => {
  const lines = Array.from({ length: 40 }, (_, line) => `Line ${String(line)}`).join("\n\n")
  const rows = Array.from({ length: 20 }, (_, row) => `${String(row)},city ${String(row)}`).join("\n")
  artifactUpstream.results = [
    { path: "scanned.md", mediaType: "text/markdown", content: "# Not yet", state: "processing" },
    { path: "report.md", mediaType: "text/markdown", content: `# A report\n\n${lines}\n` },
    { path: "cities.csv", mediaType: "text/csv", content: `id,distinguished name\n${rows}\n` },
    { path: "large.txt", mediaType: "text/plain", content: "x".repeat(100_001) },
    { path: "chart.svg", mediaType: "image/svg+xml", content: SVG },
    { path: "last.txt", mediaType: "text/plain", content: "The last" },
  ]
  await openWork(page)
  const results = artifacts(page)
  await expect(results.getByRole("heading", { name: "Results" })).toBeVisible()
  const report = results.getByRole("region", { name: "Beginning of report.md" })
  await expect(report).toContainText("A report")
  await expect(report).toContainText("Line 4")
  await expect(report).not.toContainText("Line 5")
  await expect(report.getByRole("heading")).toHaveCount(0)
  await expect(results.getByRole("button", { name: "69 more lines of report.md" })).toBeVisible()
  // What few people need is folded, below the beginning.
  const row = results.getByRole("listitem").filter({ hasText: "report.md" })
  await expect(row.getByText(/^sha256:/)).toBeHidden()
  await row.getByText("Details", { exact: true }).click()
  await expect(row.getByText(/^sha256:/)).toBeVisible()
  await expect(row).toContainText("text/markdown")
  const cities = results.getByRole("region", { name: "Beginning of cities.csv" })
  await cities.scrollIntoViewIfNeeded()
  await expect(cities.getByRole("row")).toHaveCount(9)
  await expect(results.getByRole("button", { name: "12 more rows of cities.csv" })).toBeVisible()
  const chart = results.getByRole("img", { name: "chart.svg" })
  await expect.poll(() => chart.evaluate((element: HTMLImageElement) => element.naturalWidth)).toBe(120)
  await expectAccessible(page)
  const read = () =>
    artifactUpstream.asked.filter((path) => path.endsWith("/content")).map((path) => /art_\d/.exec(path)?.[0])
  expect(read()).toEqual(["art_1", "art_2", "art_4"])
  await expect(results.getByText("The last", { exact: true })).toHaveCount(0)

  await results.getByRole("button", { name: "12 more rows of cities.csv" }).click()
  await expect(dialog(page)).toContainText("20 rows, 2 columns")
  await expect(dialog(page)).toContainText("2 of 5")
  const press = (name: string) => dialog(page).getByRole("button", { name, exact: true }).press("Enter")
  await press("Next")
  await expect(dialog(page).getByRole("region", { name: "Text" })).toContainText("xxx")
  await press("Next")
  await expect(dialog(page).getByRole("img", { name: "chart.svg" })).toBeVisible()
  await press("Next")
  await expect(dialog(page).getByRole("region", { name: "Text" })).toHaveText("The last")
  await expect(dialog(page).getByRole("button", { name: "Next" })).toHaveAttribute("aria-disabled", "true")
  const saved = page.waitForEvent("download")
  await press("Download")
  expect((await saved).suggestedFilename()).toBe("last.txt")
  await expect(dialog(page).getByRole("status")).toContainText("Saved version 1 as last.txt")
  for (let step = 0; step < 4; step++) await press("Previous")
  await expect(dialog(page).getByRole("heading", { name: "A report" })).toBeVisible()
  await expect(dialog(page).getByRole("button", { name: "Previous" })).toBeFocused()
  await expectAccessible(page)
  // What was read is kept by its hash.
  expect(read()).toEqual(["art_1", "art_2", "art_4", "art_3", "art_5", "art_5"])
})
