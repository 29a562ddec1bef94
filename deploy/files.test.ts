/** Checks the files of this folder without Docker. The long tests run the image's steps and the balancers. */
import { spawnSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, it, onTestFinished } from "vitest"
import { parse } from "yaml"
import { readConfiguration } from "../src/desk/http/desk-configuration.ts"
import { readDockerfile } from "./testing/dockerfile.ts"

const read = (name: string) => readFileSync(join(import.meta.dirname, name), "utf8")

type Service = {
  readonly image?: string
  readonly environment?: Readonly<Record<string, string>>
  readonly volumes?: readonly string[]
  readonly read_only?: boolean
}
type Compose = {
  readonly services: Readonly<Record<string, Service>>
  readonly secrets: Readonly<Record<string, object>>
  readonly networks: Readonly<
    Record<string, { readonly ipam: { readonly config: readonly { readonly subnet: string }[] } }>
  >
}

const compose = parse(read("compose.yaml"), { merge: true }) as Compose
const { "desk-1": desk1, "desk-2": desk2, balancer, database } = compose.services

/** A folder with the files that compose.yaml asks for. */
function provideFiles(): string {
  const folder = mkdtempSync(join(tmpdir(), "workdesk-deploy-"))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  writeFileSync(join(folder, "access.json"), '{"roles":{"reader":["anyone"]}}')
  for (const name of ["work-token", "oidc-client-secret"]) writeFileSync(join(folder, name), "a-secret\n")
  writeFileSync(join(folder, "database-url"), "postgres://workdesk:of'an $odd kind@database:5432/workdesk\n")
  return folder
}

describe("Dockerfile", () => {
  const [build, final, ...more] = readDockerfile(read("Dockerfile"))
  const instructionsOf = (kind: string) => final?.instructions.filter((each) => each.kind === kind)

  it("has two stages on a plain Node; the second has no development dependency and is not root", () => {
    expect(more).toEqual([])
    expect(read("Dockerfile").match(/^FROM .*/gm)).toEqual(["FROM node:24-slim AS build", "FROM node:24-slim"])
    expect(build?.name).toBe("build")
    expect(instructionsOf("RUN")?.[0]).toMatchObject({
      command: expect.stringContaining("npm ci --omit=dev") as string,
    })
    expect(instructionsOf("USER")).toEqual([{ kind: "USER", value: "node" }])
  })

  it("keeps data in a volume, and asks for the desk's health", () => {
    const environment = instructionsOf("ENV")?.flatMap((each) =>
      each.kind === "ENV" ? Object.entries(each.values) : [],
    )
    const folder = new Map(environment).get("DATA_DIR")
    expect(folder).toBeDefined()
    expect(instructionsOf("VOLUME")).toEqual([{ kind: "VOLUME", value: folder }])
    expect(JSON.stringify(instructionsOf("HEALTHCHECK"))).toContain("/desk/health")
  })
})

describe("compose.yaml", () => {
  it("has two equal desks with a read-only file system, nginx and PostgreSQL", () => {
    expect(desk2).toEqual(desk1)
    expect(desk1?.read_only).toBe(true)
    expect([balancer?.image, database?.image]).toEqual([
      expect.stringMatching(/^nginx:/),
      expect.stringMatching(/^postgres:(?:1[4-9]|[2-9]\d)/),
    ])
    expect(balancer?.volumes).toContain("./nginx.conf:/etc/nginx/nginx.conf:ro")
  })

  it("gives the desks a working environment, with only variables that are in docs/reference.md", () => {
    const folder = provideFiles()
    const shell: Readonly<Record<string, string>> = {
      PUBLIC_URL: "https://desk.example",
      OIDC_ISSUER: "https://login.example",
      OIDC_CLIENT_ID: "desk",
      WORK_API_URL: "https://work.example",
    }
    const fill = (value: string) =>
      value
        .replace(/^\$\{(\w+):\?[^}]*\}$/, (_, name: string) => shell[name] ?? "")
        .replace(/^(?:\/run\/secrets|\/etc\/workdesk)/, folder)
    const given = Object.entries(desk1?.environment ?? {}).map(([name, value]) => [name, fill(value)])
    const configuration = readConfiguration({ HOST: "0.0.0.0", ...(Object.fromEntries(given) as NodeJS.ProcessEnv) })
    expect(configuration).toMatchObject({
      host: "0.0.0.0",
      people: { mode: "sign-in" },
      allowedHosts: ["desk.example"],
    })
    expect(configuration.drainSeconds).toBeGreaterThanOrEqual(2)
    const manual = readFileSync(join(import.meta.dirname, "../docs/reference.md"), "utf8")
    for (const [name] of given) expect(manual, name).toContain(`\`${name ?? ""}\``)
  })

  it("trusts the network of nginx, and no other", () => {
    const [network] = compose.networks["default"]?.ipam.config ?? []
    expect(desk1?.environment?.["TRUSTED_PROXIES"]).toBe(network?.subnet)
  })
})

describe("workdesk.service", () => {
  const isInstalled = spawnSync("systemd-analyze", ["--version"]).status === 0

  it.runIf(isInstalled)("is a unit that systemd accepts and rates as hardened", () => {
    const path = join(import.meta.dirname, "workdesk.service")
    const verified = spawnSync("systemd-analyze", ["verify", path], { encoding: "utf8" })
    // The machine of the test may have its Node at another path.
    const faults = verified.stderr.split("\n").filter((line) => line !== "" && !line.includes("/usr/bin/node"))
    expect(faults).toEqual([])
    const { stdout } = spawnSync("systemd-analyze", ["security", "--offline=true", "--no-pager", path], {
      encoding: "utf8",
    })
    expect(Number(/Overall exposure level.*?: ([\d.]+)/.exec(stdout)?.[1])).toBeLessThan(2.5)
  })

  it("starts the same command as the image, gives the desk longer than DRAIN_SECONDS, and restarts a desk that failed", () => {
    const unit = read("workdesk.service")
    const command = readDockerfile(read("Dockerfile"))
      .at(-1)
      ?.instructions.find(({ kind }) => kind === "CMD")
    const [, started] = /^ExecStart=\/usr\/bin\/(.*)$/m.exec(unit) ?? []
    expect(command).toMatchObject({ command: started?.split(" ") })
    expect(unit).toMatch(/^KillSignal=SIGTERM$/m)
    expect(Number(/^TimeoutStopSec=(\d+)$/m.exec(unit)?.[1])).toBeGreaterThanOrEqual(15)
    expect(unit).toMatch(/^Restart=on-failure$/m)
    // An old Node uses system calls that the filter refuses. It must live on to say that it is too old.
    expect(unit).toMatch(/^SystemCallErrorNumber=EPERM$/m)
  })
})
