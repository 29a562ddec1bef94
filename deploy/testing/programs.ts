import { spawnSync } from "node:child_process"
import { existsSync } from "node:fs"
import { delimiter, join } from "node:path"

/**
 * The path of a program of the operating system. A missing program is installed from its Debian package, if this user is root.
 * @throws Error that names the package, when the program is missing and cannot be installed
 */
export function findOrInstall(name: string, debianPackage: string): string {
  const found = find(name)
  if (found !== undefined) return found
  if (process.getuid?.() === 0 && existsSync("/usr/bin/apt-get")) {
    const command = `apt-get update -q && apt-get install -qy --no-install-recommends ${debianPackage}`
    spawnSync(command, { stdio: "inherit", shell: true, env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" } })
  }
  const installed = find(name)
  if (installed === undefined)
    throw new Error(`${name} is missing: install Debian's package ${debianPackage}, or the package of your system`)
  return installed
}

/**
 * Which of these programs are missing and cannot be installed here. Warns of each on the console.
 * @param packages the Debian package of each program, by the program's name
 */
export function findMissing(packages: Readonly<Record<string, string>>): readonly string[] {
  return Object.entries(packages).flatMap(([name, debianPackage]) => {
    try {
      findOrInstall(name, debianPackage)
      return []
    } catch (error) {
      console.warn(`SKIPPED, because ${error instanceof Error ? error.message : String(error)}`)
      return [name]
    }
  })
}

function find(name: string): string | undefined {
  return [...(process.env["PATH"] ?? "").split(delimiter), "/usr/sbin", "/opt/homebrew/bin"]
    .map((folder) => join(folder, name))
    .find((path) => existsSync(path))
}
