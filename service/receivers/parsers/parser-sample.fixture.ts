import type fc from 'fast-check';
import type { MakeParser } from '../fix.ts';

/** What one parser is given by `all-parsers.prop.test.ts`. */
export interface ParserSample {
  readonly name: string;
  readonly make: MakeParser;
  readonly heard: fc.Arbitrary<Heard>;
}

/** One track as the format writes it: made by us after real messages, with every field that identifies somebody. */
interface Heard {
  /** They give at least one fix, if they are parsed in this order. */
  readonly messages: readonly (string | Uint8Array)[];
  /**
   * Every text and number in them that identifies the track, its owner or pilot, or tells where they or the station
   * are. Numbers have digits enough that none is met by chance.
   */
  readonly secrets: readonly (string | number)[];
}
