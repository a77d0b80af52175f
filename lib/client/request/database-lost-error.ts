/** Lookout's servers answer, and do not reach the store where they keep who is signed in. */
export class DatabaseLostError extends Error {}
