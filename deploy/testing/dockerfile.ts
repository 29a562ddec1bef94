/** Reads the instructions of a Dockerfile, so that a test can run them without Docker. */

export type Instruction =
  | {
      readonly kind: "COPY"
      readonly from: string | undefined
      readonly sources: readonly string[]
      readonly to: string
    }
  | { readonly kind: "RUN"; readonly command: string }
  | { readonly kind: "ENV"; readonly values: Readonly<Record<string, string>> }
  | { readonly kind: "HEALTHCHECK" | "CMD"; readonly command: readonly string[] }
  | { readonly kind: "WORKDIR" | "USER" | "VOLUME" | "EXPOSE"; readonly value: string }

export type Stage = { readonly name: string | undefined; readonly instructions: readonly Instruction[] }

/**
 * Reads the stages of a Dockerfile.
 * @throws Error for an instruction that the tests do not know and so would not run
 */
export function readDockerfile(text: string): Stage[] {
  const lines = text
    .replaceAll(/\\\n\s*/g, "")
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"))
  const stages: { name: string | undefined; instructions: Instruction[] }[] = []
  for (const line of lines) {
    const [word = ""] = line.split(" ", 1)
    const rest = line.slice(word.length + 1)
    if (word === "FROM") stages.push({ name: / AS (\w+)$/.exec(rest)?.[1], instructions: [] })
    else stages.at(-1)?.instructions.push(readInstruction(word, rest))
  }
  return stages
}

function readInstruction(word: string, rest: string): Instruction {
  switch (word) {
    case "COPY": {
      const parts = rest.split(" ")
      const from = parts[0]?.startsWith("--from=") ? parts.shift()?.slice("--from=".length) : undefined
      return { kind: word, from, sources: parts.slice(0, -1), to: parts.at(-1) ?? "" }
    }
    case "RUN":
      return { kind: word, command: rest }
    case "ENV":
      return { kind: word, values: Object.fromEntries(rest.split(" ").map((pair) => pair.split("=", 2))) }
    case "HEALTHCHECK":
      return { kind: word, command: readList(rest.slice(rest.indexOf("["))) }
    case "CMD":
      return { kind: word, command: readList(rest) }
    case "WORKDIR":
    case "USER":
    case "VOLUME":
    case "EXPOSE":
      return { kind: word, value: rest }
    default:
      throw new Error(`The tests do not know the instruction ${word}`)
  }
}

function readList(text: string): string[] {
  const value: unknown = JSON.parse(text)
  if (!Array.isArray(value) || !value.every((part) => typeof part === "string")) throw new Error(`Not a list: ${text}`)
  return value
}
