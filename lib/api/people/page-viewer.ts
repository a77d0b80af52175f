import type { SignedInOperator } from './session-messages.ts';

/** The operator that a page was rendered for. */
export interface PageViewer {
  /** `undefined` where no sign-in is needed. */
  readonly operator: SignedInOperator | undefined;
  readonly isAdmin: boolean;
  /** Whether the own account is all that is open, until a password or a passkey is changed. */
  readonly isLimited: boolean;
  readonly hasReceivers: boolean;
  /** The time of the service when the page was rendered, RFC 3339. */
  readonly asOf: string;
  readonly version: string;
}
