/**
 * A wrong or missing value of the environment. It ends the start with one plain line that names the variable. The message repeats no
 * value, because a value may be a secret.
 */
export class ConfigurationError extends Error {}
