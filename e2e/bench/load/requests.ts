/** The requests that connections and viewers send, as bytes: the client of a benchmark does as little as it can. */
import type { Program } from "./program.ts"

/** Each connection reads its own Work, so that no read is shared. */
export function readWork(program: Program, connection: number): () => string {
  const bytes = `GET /api/v1/work/work-${connection} HTTP/1.1\r\n${headersFor(program)}Accept: application/json\r\n\r\n`
  return () => bytes
}

/** Each request creates a Work of its own, under a key of its own. */
export function createWork(program: Program): () => string {
  const body = JSON.stringify({ colleague_id: "analyst", title: "Benchmark", objective: "x".repeat(200) })
  const person = program.session === undefined ? "" : `Desk-Person: ${program.session.person}\r\n`
  const head = `POST /api/v1/work HTTP/1.1\r\n${headersFor(program)}${person}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n`
  return () => `${head}Idempotency-Key: ${crypto.randomUUID()}\r\n\r\n${body}`
}

/** Follows the events of a Work. */
export function followWork(program: Program, work: string): string {
  return `GET /api/v1/work/${work}/events?after=0 HTTP/1.1\r\n${headersFor(program)}\r\n`
}

/** The headers that every request has: with the session at a desk with sign-in. */
function headersFor({ session }: Program): string {
  const cookie = session === undefined ? "" : `Cookie: ${session.cookie}\r\n`
  return `Host: 127.0.0.1\r\nAuthorization: Bearer bench-token-of-some-length\r\n${cookie}`
}
