/** Lookout's own server wants the operator to sign in again. */
export class SignedOutError extends Error {}
