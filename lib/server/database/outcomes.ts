import 'server-only';

/** Called with what each statement, and each attempt to connect, led to. */
export interface Outcomes {
  succeeded(): void;
  /** @returns what is thrown in place of the driver's error */
  failed(error: unknown): unknown;
}
