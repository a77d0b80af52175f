export class SignedOutError extends Error {}
