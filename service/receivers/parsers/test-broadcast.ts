import type { DroneId } from './drone-id.ts';

/**
 * Serial numbers in the examples of transmitters: whoever tries one out sends them. Source: opendroneid/transmitter-linux,
 * `transmit.c`.
 */
const sampleSerials: ReadonlySet<string> = new Set(['112624150A90E3AE1EC0']);

/** Whether a drone's own description (Self-ID) says that it is a test, for example "Drone ID test flight---". */
export function saysTest(selfIdText: string): boolean {
  return /\b(test|demo|simul)/i.test(selfIdText);
}

/** Whether a drone has the name of an example. */
export function isSampleId({ kind, value }: DroneId): boolean {
  return kind === 'serial' && sampleSerials.has(value);
}
