/** Runs the commands of docs/operating.md in a production install, as a user other than the one who installed it. */
import { execFile } from "node:child_process"
import { chmodSync, cpSync, mkdirSync, readFileSync, realpathSync } from "node:fs"
import { delimiter, dirname, join } from "node:path"
import { promisify } from "node:util"

const MANUAL = join(import.meta.dirname, "../../docs/operating.md")

/** Commands that need a person, a row, an archive or a mail server that a new desk doesn't have. They may fail with a plain message. */
const MAY_FAIL = /^people (?:end|forget) |^access explain |^notices test|^record (?:archive|verify) ./

type CommandRun = {
  readonly command: string
  readonly mayFail: boolean
  readonly code: number
  readonly output: string
}

export type Programs = { readonly node: string; readonly npm: string }

type RunOptions = { readonly env: NodeJS.ProcessEnv; readonly uid?: number; readonly gid?: number }

/** Copies npm into `folder`, because other users may not be able to read the npm that runs the test. @returns the path of its program */
export function copyNpm(folder: string): string {
  const found = (process.env["PATH"] ?? "").split(delimiter).flatMap((path) => realPathOf(join(path, "npm")) ?? [])
  const program = process.env["npm_execpath"] ?? found[0]
  if (program === undefined) throw new Error("npm is missing")
  const copy = join(folder, "npm")
  cpSync(dirname(dirname(realpathSync(program))), copy, { recursive: true })
  return join(copy, "bin", "npm-cli.js")
}

function realPathOf(path: string): string | undefined {
  try {
    return realpathSync(path)
  } catch {
    return undefined
  }
}

/**
 * Runs each command of docs/operating.md in the install `tree`, commands of one name one after the other. `data` is a folder that the user can write
 * to.
 */
export async function runDocumentedCommands(
  { node, npm }: Programs,
  tree: string,
  data: string,
  options: RunOptions,
): Promise<readonly CommandRun[]> {
  const restored = join(data, "restored")
  mkdirSync(restored)
  chmodSync(restored, 0o777)
  const lines = [...readFileSync(MANUAL, "utf8").matchAll(/^npm run (?:--silent )?(\w+) -- (.*?)(?: +[#>].*)?$/gm)]
  const commands = lines.map(([, name = "", args = ""], index) => ({ name, args: wordsOf(args, data, index) }))
  // A restore needs the backup.
  const groups = Map.groupBy(commands, ({ name }) => (name === "restore" ? "backup" : name))
  const runs = groups.values().map(async (group) => {
    const found: CommandRun[] = []
    for (const { name, args } of group) {
      const env = name === "restore" ? { ...options.env, DATA_DIR: restored } : options.env
      const ended = await run(node, [npm, "run", name, "--", ...args], { ...options, env, cwd: tree })
      const command = [name, ...args].join(" ")
      found.push({ command, mayFail: MAY_FAIL.test(command), ...ended })
    }
    return found
  })
  return (await Promise.all(runs)).flat()
}

/** Splits the arguments of a documented command, and fills in its placeholders. */
function wordsOf(args: string, data: string, index: number): readonly string[] {
  const words = [...args.matchAll(/"([^"]*)"|\S+/g)].map(([word, quoted]) => quoted ?? word)
  const values: Readonly<Record<string, string>> = {
    FILE: join(data, `archive-${index}`),
    FOLDER: join(data, "backup"),
    PERSON: "p-unknown",
    WORK: "work-unknown",
    APPROVAL: "approval-unknown",
    "SEQUENCE:HASH": `1:${"0".repeat(64)}`,
    "/etc/workdesk/access.json": join(data, "access.json"),
  }
  return words.map((word) => values[word] ?? word)
}

const execute = promisify(execFile)

async function run(
  program: string,
  args: readonly string[],
  options: RunOptions & { readonly cwd: string },
): Promise<Pick<CommandRun, "code" | "output">> {
  try {
    const { stdout, stderr } = await execute(program, args, options)
    return { code: 0, output: stdout + stderr }
  } catch (error) {
    if (!isExit(error)) throw error
    return { code: error.code, output: error.stdout + error.stderr }
  }
}

function isExit(error: unknown): error is { readonly code: number; readonly stdout: string; readonly stderr: string } {
  return error instanceof Error && "code" in error && typeof error.code === "number" && "stdout" in error
}
