import type { Artifact } from "../../contract/resources.ts"

export type PreviewKind = "markdown" | "csv" | "json" | "text" | "image"

const byType: Readonly<Record<string, PreviewKind>> = {
  "text/markdown": "markdown",
  "text/x-markdown": "markdown",
  "text/csv": "csv",
  "text/tab-separated-values": "csv",
  "application/json": "json",
  "application/x-ndjson": "text",
  "application/xml": "text",
  "application/yaml": "text",
  "application/x-yaml": "text",
  "application/toml": "text",
}

const byExtension: Readonly<Record<string, string>> = {
  md: "text/markdown",
  markdown: "text/markdown",
  csv: "text/csv",
  tsv: "text/tab-separated-values",
  json: "application/json",
  txt: "text/plain",
  log: "text/plain",
  png: "image/png",
  jpg: "image/jpeg",
  jpeg: "image/jpeg",
  gif: "image/gif",
  webp: "image/webp",
  avif: "image/avif",
  svg: "image/svg+xml",
}

/** The media type for the preview, in lower case: that of the Artifact, or that of its name where the Artifact names none. */
export function previewMediaType({ media_type: mediaType, path }: Artifact): string {
  const type = mediaType.split(";")[0]?.trim().toLowerCase() ?? ""
  if (type !== "" && type !== "application/octet-stream") return type
  const extension = /\.([^./\\]+)$/.exec(path)?.[1]?.toLowerCase() ?? ""
  return (Object.hasOwn(byExtension, extension) ? byExtension[extension] : undefined) ?? ""
}

/** The kind of preview of an Artifact; undefined where only the download is offered, as for HTML. */
export function previewKind(artifact: Artifact): PreviewKind | undefined {
  const type = previewMediaType(artifact)
  if (Object.hasOwn(byType, type)) return byType[type]
  if (type.endsWith("+json")) return "json"
  if (type.startsWith("image/")) return "image"
  return type.startsWith("text/") && type !== "text/html" ? "text" : undefined
}
