import { UPLOAD_MEDIA_TYPES } from "../../contract/limits.ts"
import type { CreateInputUploadRequest } from "../../contract/resources.ts"

/** The media types that an upload may have (openapi.yaml, createInputUpload). */
export type UploadMediaType = CreateInputUploadRequest["media_type"]

const byExtension: Readonly<Record<string, UploadMediaType>> = {
  json: "application/json",
  csv: "text/csv",
  md: "text/markdown",
  markdown: "text/markdown",
  txt: "text/plain",
  text: "text/plain",
  log: "text/plain",
}

const words: Readonly<Record<UploadMediaType, string>> = {
  "application/json": "JSON",
  "text/csv": "CSV",
  "text/markdown": "Markdown",
  "text/plain": "Plain text",
}

/** The kinds to choose from, each with its word. */
export const mediaTypeChoices = UPLOAD_MEDIA_TYPES.map((mediaType) => ({ mediaType, word: words[mediaType] }))

/** Whether `text` is one of the four kinds that the service takes. */
export function isUploadMediaType(text: string): text is UploadMediaType {
  return Object.hasOwn(words, text)
}

/**
 * The kind of a file: by its name, else by the media type of the operating system; undefined where neither is one of the four kinds that
 * the service takes.
 */
export function mediaTypeOf(name: string, systemType: string): UploadMediaType | undefined {
  const extension = /\.([^.]+)$/.exec(name)?.[1]?.toLowerCase() ?? ""
  if (Object.hasOwn(byExtension, extension)) return byExtension[extension]
  const type = systemType.split(";")[0]?.trim().toLowerCase() ?? ""
  return isUploadMediaType(type) ? type : undefined
}
