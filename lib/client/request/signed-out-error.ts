/** The session has ended: the operator has to sign in again. */
export class SignedOutError extends Error {}
