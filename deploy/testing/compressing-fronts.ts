/** nginx and Apache in front of a desk. They compress JSON, and so weaken, rewrite or remove its ETags. */
import { type ChildProcess, spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { connect } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as delay } from "node:timers/promises"
import { freePort } from "../../src/desk/store/testing/free-port.ts"

/** A front at `url`, whose name is the desk's and whose port is not. */
export type Front = { readonly url: string; stop(): Promise<void> }

const APACHE_MODULES = ["mpm_event", "authz_core", "filter", "headers", "deflate", "proxy", "proxy_http"]
const RETRY_MS = 20

/** Whether a program of the operating system is there. */
export const isInstalled = (program: string): boolean => spawnSync(program, ["-v"]).error === undefined

/** nginx with `gzip` weakens ETags. */
export function startNginxWithGzip({ origin, hostname, host }: URL): Promise<Front> {
  return startFront(hostname, (folder, port) => {
    const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
      (kind) => `${kind}_temp_path ${folder}/${kind};`,
    )
    const path = join(folder, "nginx.conf")
    writeFileSync(
      path,
      `daemon off; pid ${folder}/pid; error_log stderr; events {}
http { access_log off; ${temporary.join(" ")}
  gzip on; gzip_proxied any; gzip_min_length 1; gzip_types application/json;
  map $http_origin $desk_origin { "" ""; default ${origin}; }
  server { listen 127.0.0.1:${port}; location / { proxy_pass ${origin}; proxy_http_version 1.1;
    proxy_set_header Host ${host}; proxy_set_header Origin $desk_origin; } } }`,
    )
    return spawn("nginx", ["-c", path, "-e", "stderr"], { stdio: "pipe" })
  })
}

/** Apache with `DEFLATE` adds a suffix to ETags, or removes them (`DeflateAlterETag`). */
export function startApacheWithDeflate({ origin, hostname }: URL, alterEtag: "AddSuffix" | "Remove"): Promise<Front> {
  return startFront(hostname, (folder, port) => {
    mkdirSync(join(folder, "run"))
    // Apache's workers run as another user.
    chmodSync(folder, 0o755)
    const path = join(folder, "apache.conf")
    writeFileSync(
      path,
      `ServerRoot ${folder}
ServerName ${hostname}
DefaultRuntimeDir ${folder}/run
PidFile ${folder}/run/pid
ErrorLog ${folder}/errors
${process.getuid?.() === 0 ? "User nobody\nGroup nogroup" : ""}
Listen 127.0.0.1:${port}
${APACHE_MODULES.map((name) => `LoadModule ${name}_module /usr/lib/apache2/modules/mod_${name}.so`).join("\n")}
RequestHeader edit Origin ^.*$ ${origin}
ProxyPass / ${origin}/ flushpackets=on
DeflateAlterETag ${alterEtag}
AddOutputFilterByType DEFLATE application/json`,
    )
    return spawn("apache2", ["-f", path, "-D", "FOREGROUND"], { stdio: "pipe" })
  })
}

async function startFront(hostname: string, start: (folder: string, port: number) => ChildProcess): Promise<Front> {
  const folder = mkdtempSync(join(tmpdir(), "workdesk-front-"))
  const port = await freePort()
  const child = start(folder, port)
  let output = ""
  child.stderr?.on("data", (chunk: Buffer) => (output += chunk.toString()))
  const ended = once(child, "exit")
  while (!(await listens(port))) {
    if (child.exitCode !== null) throw new Error(`The front did not start: ${output}`)
    await delay(RETRY_MS)
  }
  return {
    url: `http://${hostname}:${port}`,
    async stop() {
      child.kill("SIGTERM")
      await ended
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

async function listens(port: number): Promise<boolean> {
  const socket = connect(port, "127.0.0.1")
  const isConnected = await once(socket, "connect").then(
    () => true,
    () => false,
  )
  socket.destroy()
  return isConnected
}
