/** Why single sign-on failed: the parameter `problem` of the sign-in page. */
export const SIGN_IN_PROBLEMS = [
  /** The user or an administrator refused at the provider. */
  'cancelled',
  /** Begun too long ago, in another browser, or already used. */
  'expired',
  'unreachable',
  /** The provider's answer did not pass a check. */
  'untrusted',
  /** The claims about the user are not usable. */
  'unusable_claims',
  'not_allowed',
  'too_many_attempts',
  /** The provider reported an error, or Lookout is not set up for it. */
  'provider_error',
  /** The store that the servers share does not answer. */
  'database',
] as const;

export type SignInProblem = (typeof SIGN_IN_PROBLEMS)[number];

/** @param value of the parameter `problem`, which anybody can write */
export function signInProblem(value: string | undefined): SignInProblem | undefined {
  return SIGN_IN_PROBLEMS.find((problem) => problem === value);
}
