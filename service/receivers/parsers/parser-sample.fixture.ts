import type fc from 'fast-check';
import type { MakeParser } from '../fix.ts';

export interface ParserSample {
  readonly name: string;
  readonly make: MakeParser;
  readonly received: fc.Arbitrary<Received>;
}

/** After real messages, with every identifying field. */
interface Received {
  readonly messages: readonly (string | Uint8Array)[];
  /** Everything that identifies or locates track, owner, pilot or station. Long enough to be unique. */
  readonly secrets: readonly (string | number)[];
}
