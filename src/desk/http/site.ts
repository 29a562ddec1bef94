/** The files of the built app. They are few and small, so all are read at the start, and no path can reach another file. */
import { createHash } from "node:crypto"
import { readdirSync, readFileSync } from "node:fs"
import { extname, join, relative, sep } from "node:path"
import { acceptsPage, matchesEtag, readAcceptEncoding } from "../../platform/http/http-fields.ts"
import { type HeaderFields, methodRefused, pathUnknown } from "../../platform/http/refusals.ts"
import { pageAnswer } from "../../platform/http/security-headers.ts"
import type { RequestContext } from "../../platform/http/request-context.ts"
import { send } from "../../platform/http/send.ts"

type Encoding = "br" | "gzip"

type File = {
  readonly headers: HeaderFields
  readonly etag: string
  readonly body: Buffer
  readonly encoded: Readonly<Partial<Record<Encoding, Buffer>>>
}

const MEDIA_TYPES: Readonly<Record<string, string>> = {
  ".css": "text/css; charset=utf-8",
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".png": "image/png",
  ".svg": "image/svg+xml",
  ".webmanifest": "application/manifest+json",
}

const IMMUTABLE = "public, max-age=31536000, immutable"

export class Site {
  readonly #files: ReadonlyMap<string, File>
  /** A hash of all files; undefined without files. The app compares it with the build that it was loaded from. */
  readonly build: string | undefined

  /** Reads the folder. Without the folder, every path is 404. A `.br` or `.gz` file is the compressed form of the file beside it. */
  constructor(distFolder: string) {
    this.#files = readFiles(distFolder)
    const names = [...this.#files].map(([path, { etag }]) => `${path} ${etag}\n`)
    this.build = names.length === 0 ? undefined : shortHash(names.sort().join(""))
  }

  /** Answers a path outside `/api` and `/desk`: with the file, or with the page for a browser that wants a page, or with 404. */
  serve(context: RequestContext, path: string): void {
    const { request } = context
    if (request.method !== "GET" && request.method !== "HEAD") return send(context, methodRefused(["GET", "HEAD"]))
    const isAsset = path.startsWith("/assets/")
    context.route = isAsset ? "/assets" : "/"
    const wantsPage = path === "/" || (!isAsset && acceptsPage(request.headers.accept))
    const file = this.#files.get(path) ?? (wantsPage ? this.#pageAt(path) : undefined)
    if (file === undefined) send(context, pathUnknown)
    else sendFile(context, file, wantsPage ? this.build : undefined)
  }

  /** The HTML file with the preloads of the page at `path` (`src/app/pages.ts`), else `index.html`. */
  #pageAt(path: string): File | undefined {
    const page = path === "/" ? "/work" : path
    const oneWork = /^\/work\/[^/]+$/.test(page) ? this.#files.get("/pages/work/[id].html") : undefined
    return this.#files.get(`/pages${page}.html`) ?? oneWork ?? this.#files.get("/index.html")
  }
}

function readFiles(folder: string): Map<string, File> {
  const entries = listFiles(folder)
  const paths = new Set(entries)
  const files = new Map<string, File>()
  for (const path of entries) {
    if (/\.(?:br|gz)$/.test(path) && paths.has(path.replace(/\.(?:br|gz)$/, ""))) continue
    const body = readFileSync(join(folder, path))
    const encoded: Partial<Record<Encoding, Buffer>> = {}
    if (paths.has(`${path}.br`)) encoded.br = readFileSync(join(folder, `${path}.br`))
    if (paths.has(`${path}.gz`)) encoded.gzip = readFileSync(join(folder, `${path}.gz`))
    const caching = path.startsWith("/assets/") ? IMMUTABLE : "no-cache"
    const type = MEDIA_TYPES[extname(path)] ?? "application/octet-stream"
    files.set(path, {
      headers: { ...pageAnswer, "Content-Type": type, "Cache-Control": caching, Vary: "Accept-Encoding" },
      etag: shortHash(body),
      body,
      encoded,
    })
  }
  return files
}

const shortHash = (content: string | Buffer) => createHash("sha256").update(content).digest("base64url").slice(0, 22)

/** The plain files below a folder, as paths from the folder such as `/assets/x.js`. Links are not followed. */
function listFiles(folder: string): string[] {
  try {
    return readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => `/${relative(folder, join(entry.parentPath, entry.name)).replaceAll(sep, "/")}`)
  } catch {
    return []
  }
}

/** Sends a file. A page learns the `build` that it belongs to from `Server-Timing`, the one header of a page that a script can read. */
function sendFile(context: RequestContext, file: File, build: string | undefined): void {
  const { "accept-encoding": accepted, "if-none-match": ifNoneMatch } = context.request.headers
  const encoding = chooseEncoding(accepted, file)
  // Each encoding needs a strong ETag of its own (RFC 9110, 8.8.3.3).
  const etag = `"${file.etag}${encoding === undefined ? "" : `-${encoding}`}"`
  const timing = build !== undefined && { "Server-Timing": `build;desc="${build}"` }
  const headers = { ...file.headers, ETag: etag, ...timing }
  const body = (encoding && file.encoded[encoding]) ?? file.body
  if (matchesEtag(ifNoneMatch, etag)) return send(context, { status: 304, headers, body })
  const coding = encoding !== undefined && { "Content-Encoding": encoding }
  // To HEAD, Node sends no body.
  send(context, { status: 200, headers: { ...headers, ...coding }, body })
}

/** Without a preference: brotli. Undefined: the file as it is. */
function chooseEncoding(accepted: string | undefined, file: File): Encoding | undefined {
  const weigh = readAcceptEncoding(accepted)
  const choices = (["br", "gzip"] as const).filter(
    (encoding) => file.encoded[encoding] !== undefined && weigh(encoding) > 0,
  )
  const best = choices.toSorted((one, other) => weigh(other) - weigh(one))[0]
  return best !== undefined && weigh(best) >= weigh("identity") ? best : undefined
}
