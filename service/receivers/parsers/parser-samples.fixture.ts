import { AIRCRAFT_SAMPLES } from './aircraft-samples.fixture.ts';
import { DRONE_SAMPLES } from './drone-samples.fixture.ts';
import type { ParserSample } from './parser-sample.fixture.ts';

/** A missing parser would not be tested for keeping identities back. */
export const PARSER_SAMPLES: readonly ParserSample[] = [...AIRCRAFT_SAMPLES, ...DRONE_SAMPLES];
