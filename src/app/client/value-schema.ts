/** A schema of Standard Schema 1, such as valibot makes. Without valibot the first load is 2 kB (brotli) smaller. */
export type Schema<Value> = {
  readonly "~standard": { readonly validate: (value: unknown) => Checked<Value> | Promise<Checked<Value>> }
}
type Checked<Value> = { readonly value: Value; readonly issues?: undefined } | { readonly issues: readonly unknown[] }

/** Whether a JSON value is an object. */
export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** A schema from the check `fits`, for values that are read before the first paint. */
export function schemaOf<Value>(fits: (value: unknown) => value is Value): Schema<Value> {
  return { "~standard": { validate: (value) => (fits(value) ? { value } : { issues: [value] }) } }
}

/** A schema from `read`, which turns a JSON value into a checked value, or undefined if it doesn't fit. */
export function schemaReading<Value>(read: (value: unknown) => Value | undefined): Schema<Value> {
  return {
    "~standard": {
      validate: (given) => {
        const value = read(given)
        return value === undefined ? { issues: [given] } : { value }
      },
    },
  }
}

/**
 * A schema of an answer that is a whole type of the contract: an object that has `members`. More is not checked, because a desk of another build only
 * adds members, or leaves out optional members.
 */
export function answerWith<Answer extends object>(...members: readonly (string & keyof Answer)[]): Schema<Answer> {
  return schemaOf(
    (value): value is Answer => isObject(value) && members.every((member) => Object.hasOwn(value, member)),
  )
}

/** What `schema` makes of `value`; undefined where the value does not fit. Nothing is thrown. */
export function validOf<Value>(schema: Schema<Value>, value: unknown): Value | undefined {
  const checked = schema["~standard"].validate(value)
  return checked instanceof Promise || checked.issues !== undefined ? undefined : checked.value
}
