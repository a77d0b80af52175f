import type { DroneId } from './drone-id.ts';

/** From opendroneid/transmitter-linux, `transmit.c`. Trials send it unchanged. */
const sampleSerials: ReadonlySet<string> = new Set(['112624150A90E3AE1EC0']);

/** Such as "Drone ID test flight---". */
export function saysTest(selfIdText: string): boolean {
  return /\b(test|demo|simul)/i.test(selfIdText);
}

export function isSampleId({ kind, value }: DroneId): boolean {
  return kind === 'serial' && sampleSerials.has(value);
}
