import { join } from "node:path"
import { defineConfig } from "@playwright/test"
import { findTestBrowser } from "./chromium.ts"

// Every desk starts a worker thread, which compiles our modules: a quarter of the time that it takes without this.
process.env["NODE_COMPILE_CACHE"] ??= join(import.meta.dirname, "../node_modules/.cache/node")

const browser = findTestBrowser()
const isLong = process.env["LONG_TESTS"] === "1"
const definedEnvironment = Object.fromEntries(
  Object.entries(process.env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
)

/**
 * A browser obeys the last `--disable-features` alone, so Playwright's own list (its chromiumSwitches.ts) stands here as well. The
 * rest is ours: measured, the suggestions of the address bar and a spare renderer took half of the processor time of a page.
 */
const DISABLED_FEATURES = [
  "AimEnabled",
  "AvoidCorsURLLoaderRestartOnRedirect",
  "AvoidUnnecessaryBeforeUnloadCheckSync",
  "DestroyProfileOnBrowserClose",
  "HttpsFirstBalancedModeAutoEnable",
  "HttpsUpgrades",
  "LensOverlay",
  "MediaRouter",
  "NetworkTimeServiceQuerying",
  "OptimizationHints",
  "PaintHolding",
  "PreconnectToSearch",
  "TcpPortRandomizationWin",
  "ThirdPartyStoragePartitioning",
  "SpareRendererForSitePerProcess",
  "WebUIOmniboxAimPopup",
  "WebUIOmniboxFullPopup",
  "WebUIOmniboxPopup",
]

/** The tests that take minutes begin first, so that none of them runs alone at the end. */
const LONGEST = ["upgrade.long.spec.ts", "open-for-a-week.long.spec.ts", "many-works.long.spec.ts"]

export default defineConfig({
  testDir: ".",
  // `npm run test:long` sets LONG_TESTS and runs the long tests alone. The tests of the demonstration run one after the other, so they begin first.
  projects: isLong
    ? [
        { name: "longest", testMatch: LONGEST },
        { name: "long", testMatch: "*.long.spec.ts", testIgnore: LONGEST },
      ]
    : [
        { name: "demo", testMatch: "demo.spec.ts" },
        { name: "desk", testMatch: "*.spec.ts", testIgnore: ["*.long.spec.ts", "demo.spec.ts"] },
      ],
  outputDir: "../test-results",
  fullyParallel: true,
  forbidOnly: true,
  // Most of a test is waiting, for a pause of the app or of the desk: six at once keep two cores busy.
  // The long tests have pages of thousands of rows, for which two cores have room for three.
  workers: isLong ? 3 : 6,
  // On a busy machine a page may take 15 s to open. A test that passes never waits that long.
  timeout: 120_000,
  expect: { timeout: 30_000 },
  reporter: [["list"], ["json", { outputFile: "../test-results/browser.json" }]],
  use: {
    viewport: { width: 1440, height: 900 },
    locale: "en-GB",
    timezoneId: "Europe/Madrid",
    ...(browser !== undefined && "channel" in browser ? browser : {}),
    launchOptions: {
      ...(browser !== undefined && "executablePath" in browser ? browser : {}),
      // Without a locale in UTF-8 Chromium saves a name with accents as "download".
      env: { ...definedEnvironment, LANG: "C.UTF-8", LC_ALL: "C.UTF-8" },
      // As root Chromium has no sandbox; the rest keeps it quiet where there is no network.
      args: [
        ...(process.getuid?.() === 0 ? ["--no-sandbox"] : []),
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        // Drawing through an emulated graphics card takes a twentieth of a page's processor time more.
        "--disable-gpu-rasterization",
        "--num-raster-threads=1",
        `--disable-features=${DISABLED_FEATURES.join(",")}`,
      ],
    },
  },
})
