import 'server-only';

export interface Outcomes {
  /** Set for good once no statement may run any more but a rollback. */
  readonly stopped?: Error | undefined;
  succeeded(): void;
  /** @returns what to throw in place of the driver's error */
  failed(error: unknown): unknown;
}
