/**
 * Makes a checkout ready before a command runs: installs what the lock file names where it is not installed, then, with
 * `--build`, builds the app where it is not built or older than its sources. Built-ins only, and Node 20 suffices: it runs before anything is
 * installed, on the machine's own Node.
 */
import { spawnSync } from "node:child_process"
import { readdirSync, readFileSync, statSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))))
const asked = new Set(process.argv.slice(2))

if (!isInstalled()) run("npm ci", ["ci", "--no-fund", "--no-audit", "--loglevel=error"])
if (asked.has("--build") && !isBuilt()) run("npm run build", ["run", "build", "--silent"])

/** npm writes the tree that it installed to node_modules/.package-lock.json: the lock file less its root and links. */
function isInstalled() {
  const wanted = readPackages("package-lock.json")
  const installed = readPackages(join("node_modules", ".package-lock.json"))
  if (wanted === undefined || installed === undefined) return false
  return Object.entries(wanted).every(
    ([path, entry]) =>
      !path.includes("node_modules/") || entry.optional || entry.link || installed[path]?.version === entry.version,
  )
}

function isBuilt() {
  const built = changedAt("dist/index.html")
  return ["index.html", "vite.config.ts", "package-lock.json", "public", "src/app", "src/contract"].every(
    (path) => changedAt(path) < built,
  )
}

/** When a file, or the newest file of a folder, was changed (ms); 0 where there is none. */
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

function run(name, args) {
  process.stderr.write(`workdesk: ${name} …\n`)
  const { status } = spawnSync("npm", args, { cwd: root, stdio: ["ignore", 2, 2], shell: process.platform === "win32" })
  if (status !== 0) {
    process.stderr.write(`workdesk: ${name} failed\n`)
    process.exit(1)
  }
}
