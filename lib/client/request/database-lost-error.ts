/** Lookout's servers answer, but cannot reach the sessions' database. */
export class DatabaseLostError extends Error {}
