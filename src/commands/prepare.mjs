/**
 * Prepares a checkout before a command runs. It installs missing packages of the lock file. With `--build` it also builds the app, if the
 * build is missing or older than the sources. It uses only built-in modules of Node 20, because nothing else is installed yet. In a production
 * install it installs and builds nothing, but fails with one line if this Node is too old, because an old Node can't run TypeScript.
 */
import { spawnSync } from "node:child_process"
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { nodeFault } from "./node-version.mjs"

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))))
const OUTPUT_MAX_BYTES = 64 * 1_048_576
const asked = new Set(process.argv.slice(2))

if (!existsSync(join(root, "package-lock.json")))
  end("package-lock.json is missing: copy it beside package.json, and run npm ci --omit=dev there")
if (isProductionInstall()) {
  const fault = nodeFault(process.versions.node)
  if (fault !== undefined) end(fault)
} else {
  if (!isInstalled())
    run("installing what package-lock.json names (npm ci)", ["ci", "--no-fund", "--no-audit", "--loglevel=error"])
  if (asked.has("--build") && !isBuilt()) run("building the app (npm run build)", ["run", "build", "--silent"])
}

/** Ends this process with one line. */
function end(sentence) {
  process.stderr.write(`workdesk: ${sentence}\n`)
  process.exit(1)
}

/**
 * Whether this is an install of `npm ci --omit=dev`: no development package is there. Its tree may be read-only and without network, and a desk
 * may run from it, so nothing is installed or built.
 */
function isProductionInstall() {
  const wanted = Object.entries(readPackages("package-lock.json") ?? {})
  const installed = readPackages(join("node_modules", ".package-lock.json"))
  const development = wanted.filter(([path, entry]) => path.includes("node_modules/") && entry.dev)
  return installed !== undefined && development.length > 0 && development.every(([path]) => !(path in installed))
}

/** Whether node_modules has the packages of the lock file, by npm's own list. Optional packages do not count: npm leaves out those of other systems. */
function isInstalled() {
  const wanted = readPackages("package-lock.json")
  const installed = readPackages(join("node_modules", ".package-lock.json"))
  if (wanted === undefined || installed === undefined) return false
  return Object.entries(wanted).every(
    ([path, entry]) =>
      !path.includes("node_modules/") || entry.optional || entry.link || installed[path]?.version === entry.version,
  )
}

/** Whether the built app is newer than all its sources. */
function isBuilt() {
  const built = changedAt("dist/index.html")
  return ["index.html", "vite.config.ts", "package-lock.json", "public", "src/app", "src/contract"].every(
    (path) => changedAt(path) < built,
  )
}

/** When a file, or the newest file of a folder, was changed, in milliseconds since 1970. 0 if there is no such file. */
function changedAt(path) {
  const stats = statSync(join(root, path), { throwIfNoEntry: false })
  if (stats === undefined) return 0
  if (!stats.isDirectory()) return stats.mtimeMs
  return Math.max(stats.mtimeMs, ...readdirSync(join(root, path)).map((name) => changedAt(join(path, name))))
}

function readPackages(path) {
  try {
    return JSON.parse(readFileSync(join(root, path), "utf8")).packages
  } catch {
    return undefined
  }
}

/** Runs npm and prints one line for the step. A step that fails also prints the output of npm and ends this process. */
function run(step, args) {
  process.stderr.write(`workdesk: ${step}\n`)
  const { status, stdout, stderr, error } = spawnSync("npm", args, {
    cwd: root,
    encoding: "utf8",
    maxBuffer: OUTPUT_MAX_BYTES,
    stdio: ["ignore", "pipe", "pipe"],
    shell: process.platform === "win32",
  })
  if (status === 0) return
  const output = `${stdout ?? ""}${stderr ?? ""}${error === undefined ? "" : error.message}`.trim()
  process.stderr.write(`${output}\nworkdesk: npm ${args[0]} failed\n`)
  process.exit(1)
}
