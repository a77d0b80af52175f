import { AIRCRAFT_SAMPLES } from './aircraft-samples.fixture.ts';
import { DRONE_SAMPLES } from './drone-samples.fixture.ts';
import type { ParserSample } from './parser-sample.fixture.ts';

/** Every parser there is. One that is not listed here has not been shown to keep anybody's name back. */
export const PARSER_SAMPLES: readonly ParserSample[] = [...AIRCRAFT_SAMPLES, ...DRONE_SAMPLES];
