/** Ends a start: a wrong or missing value of the environment. The message names the variable and repeats no value, because a value may be a secret. */
export class ConfigurationError extends Error {}
