import type fc from 'fast-check';
import type { MakeParser } from '../fix.ts';

/** Input of `all-parsers.prop.test.ts` for one parser. */
export interface ParserSample {
  readonly name: string;
  readonly make: MakeParser;
  readonly heard: fc.Arbitrary<Heard>;
}

/** One track in the parser's format: made after real messages, with every identifying field. */
interface Heard {
  /** Parsed in this order, they give at least one fix. */
  readonly messages: readonly (string | Uint8Array)[];
  /**
   * Every text and number that identifies the track, its owner, pilot or station, or locates them. Numbers have enough digits to be unique.
   */
  readonly secrets: readonly (string | number)[];
}
