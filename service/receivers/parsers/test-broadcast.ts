import type { DroneId } from './drone-id.ts';

/** Serial numbers in examples of transmitters, which trials send unchanged. Source: opendroneid/transmitter-linux, `transmit.c`. */
const sampleSerials: ReadonlySet<string> = new Set(['112624150A90E3AE1EC0']);

/** Whether the Self-ID text declares a test, for example "Drone ID test flight---". */
export function saysTest(selfIdText: string): boolean {
  return /\b(test|demo|simul)/i.test(selfIdText);
}

export function isSampleId({ kind, value }: DroneId): boolean {
  return kind === 'serial' && sampleSerials.has(value);
}
