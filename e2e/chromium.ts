import { spawnSync } from "node:child_process"
import { accessSync, constants, existsSync } from "node:fs"
import { delimiter, join } from "node:path"
import { chromium } from "@playwright/test"

/** The browser that the tests drive: `channel` where only an installed Chrome is known, else the path of a Chromium. */
export type Browser = { readonly executablePath: string } | { readonly channel: "chrome" }

// Chromium without windows: a test takes two thirds of the processor time that it takes in the whole Chromium.
const HEADLESS_SHELL = "chromium-headless-shell"
const NAMES = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"]
const CHROME_PLACES = [
  "/opt/google/chrome/chrome",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
  "C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe",
]

/** Looks for `$CHROMIUM`, then Playwright's own build, then the PATH, then an installed Chrome. Undefined where none is. */
export function findBrowser(environment = process.env): Browser | undefined {
  const named = environment["CHROMIUM"]
  if (named !== undefined && named !== "") return { executablePath: named }
  if (existsSync(chromium.executablePath())) return { executablePath: chromium.executablePath() }
  const inPath = findInPath(NAMES, environment)
  if (inPath !== undefined) return { executablePath: inPath }
  return CHROME_PLACES.some((place) => existsSync(place)) ? { channel: "chrome" } : undefined
}

/** The browser for the tests: `$CHROMIUM`, then Debian's headless shell, then what `findBrowser` finds. */
export function findTestBrowser(environment = process.env): Browser | undefined {
  const shell = environment["CHROMIUM"] ? undefined : findInPath([HEADLESS_SHELL], environment)
  return shell === undefined ? findBrowser(environment) : { executablePath: shell }
}

/**
 * A whole browser, installed where there is none: Playwright's own build first, whose download some networks refuse, then Debian's
 * packages where this is Debian and we may install. @throws Error when neither serves
 */
export function findOrInstallBrowser(): Browser {
  const found = findBrowser()
  if (found !== undefined) return found
  const mayInstall = process.getuid?.() === 0
  const playwright = "npx playwright install chromium"
  const debian = "apt-get update -q && apt-get install -qy --no-install-recommends chromium"
  const commands = [`${playwright} && npx playwright install-deps chromium`, `${debian} ${HEADLESS_SHELL}`, debian]
  for (const command of mayInstall ? commands : [playwright]) {
    console.log(`No Chromium here: ${command}`)
    spawnSync(command, { stdio: "inherit", shell: true })
    const installed = findBrowser()
    if (installed !== undefined) return installed
  }
  throw new Error("No Chromium was found and none could be installed. Name one in the variable CHROMIUM.")
}

function findInPath(names: readonly string[], environment: NodeJS.ProcessEnv): string | undefined {
  const folders = (environment["PATH"] ?? "").split(delimiter)
  return folders.flatMap((folder) => names.map((name) => join(folder, name))).find(isExecutable)
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
