import 'server-only';

export interface Outcomes {
  succeeded(): void;
  /** @returns what to throw in place of the driver's error */
  failed(error: unknown): unknown;
}
