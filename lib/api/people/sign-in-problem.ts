/** Why single sign-on failed: the parameter `problem` of the sign-in page. */
export const SIGN_IN_PROBLEMS = [
  /** The user, or an administrator at the provider, cancelled it. */
  'cancelled',
  /** Too old, of another browser, or already used. */
  'expired',
  'unreachable',
  /** The provider's answer failed a check. */
  'untrusted',
  'unusable_claims',
  'not_allowed',
  /** Not allowed without groups, of which the provider sends only a reference. */
  'groups_not_sent',
  'too_many_attempts',
  /** The provider failed, or Lookout is not set up for it. */
  'provider_error',
  /** The shared store does not answer. */
  'database',
] as const;

export type SignInProblem = (typeof SIGN_IN_PROBLEMS)[number];

/** @param value any caller may write it */
export function signInProblem(value: string | undefined): SignInProblem | undefined {
  return SIGN_IN_PROBLEMS.find((problem) => problem === value);
}
